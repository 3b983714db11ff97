# SPDX-License-Identifier: MIT
"""Where the points went: errors of small corpora, counted by hand."""

import pytest

from kammerton.instruments import InstrumentList
from kammerton.instruments.error_analysis import Relation, relation
from kammerton.instruments.kernels import evaluate
from kammerton.model.task import Case, ClassKey
from unit.instruments.scored import BELLS, DEEP, FIGURE, MEASURES, Pair, Parents, listed, options

Cells = dict[ClassKey, float]


def tables(pairs: list[Pair], tree: Parents | None = FIGURE, **choices: object) -> dict[str, Cells]:
    cases = [Case((ref,), est) for ref, est in pairs]
    found = evaluate(cases, [MEASURES["open-mic-task1/P"]], options(tree, unknown="keep", **choices))
    assert {table.unit for table in found.tables} == {"files"}
    return {
        table.name: dict(zip(table.classes, table.weights.tolist(), strict=True)) for table in found.tables
    }


@pytest.mark.parametrize(
    ("tree", "label", "other", "expected"),
    [
        (FIGURE, "F", "G", "sibling"),
        (FIGURE, "F", "B", "ancestor"),
        (FIGURE, "B", "F", "descendant"),
        (FIGURE, "F", "J", "stranger"),
        (FIGURE, "B", "C", "stranger"),  # families have nothing in common but the root
        (FIGURE, "F", "A", "stranger"),  # nothing is below the root that would not be
        (FIGURE, "F", "Z", "stranger"),
        (FIGURE, "Z", "F", "stranger"),
        (BELLS, "cowbell", "snare", "sibling"),
        (BELLS, "cowbell", "handbell", "sibling"),
        (DEEP, "violin", "guitar", "family"),
        (DEEP, "violin", "plucked", "family"),
        (DEEP, "violin", "strings", "ancestor"),
        (None, "F", "G", "stranger"),
    ],
)
def test_relations(tree: Parents | None, label: str, other: str, expected: Relation) -> None:
    assert relation(options(tree).tree, label, other) == expected


CORPUS: list[Pair] = [
    (listed("EFH"), listed("EGJ")),  # F, H missed; G, J spurious
    (listed("F"), listed("G")),
    (listed("F"), listed("")),
    (listed(""), listed("K")),
    (listed("B"), listed("F")),
    (listed("K"), listed("DZ")),
]


def test_outcomes_of_instruments() -> None:
    assert tables(CORPUS)["instruments"] == {
        ("E", "hit"): 1,
        ("F", "miss"): 3,
        ("H", "miss"): 1,
        ("B", "miss"): 1,
        ("K", "miss"): 1,
        ("G", "spurious"): 2,
        ("J", "spurious"): 1,
        ("K", "spurious"): 1,
        ("F", "spurious"): 1,
        ("D", "spurious"): 1,
        ("Z", "spurious"): 1,
    }


def test_outcomes_of_families() -> None:
    assert tables(CORPUS)["families"] == {
        ("B", "hit"): 3,
        ("D", "hit"): 1,
        ("B", "miss"): 1,
        ("C", "miss"): 1,
        ("D", "spurious"): 2,
        ("Z", "spurious"): 1,
    }
    assert "families" not in tables(CORPUS, None)


def test_outcomes_of_what_lies_between_families_and_labels() -> None:
    pairs: list[Pair] = [
        # bowed was said of a violin, plucked missed; the taxonomy has no theremin
        (InstrumentList(("violin", "guitar")), InstrumentList(("bowed", "theremin"))),
        (InstrumentList(("voice",)), InstrumentList(("violin", "bowed"))),
        (InstrumentList(("bowed",)), InstrumentList(("violin",))),
    ]
    assert tables(pairs, DEEP)["subfamilies"] == {
        ("bowed", "hit"): 2,
        ("plucked", "miss"): 1,
        ("bowed", "spurious"): 1,
    }
    assert "subfamilies" not in tables(CORPUS)


def test_every_pair_of_a_missed_and_a_spurious_label() -> None:
    assert tables(CORPUS)["confusion"] == {
        ("F", "G", "sibling"): 2,
        ("F", "J", "stranger"): 1,
        ("H", "G", "stranger"): 1,
        ("H", "J", "stranger"): 1,
        ("B", "F", "descendant"): 1,
        ("K", "D", "ancestor"): 1,
        ("K", "Z", "stranger"): 1,
    }


def test_what_was_said_instead() -> None:
    assert tables(CORPUS)["errors"] == {
        ("miss", "F", "sibling"): 2,
        ("miss", "F", "nothing"): 1,
        ("miss", "H", "stranger"): 1,
        ("miss", "B", "descendant"): 1,
        ("miss", "K", "ancestor"): 1,
        ("spurious", "G", "sibling"): 2,
        ("spurious", "J", "stranger"): 1,
        ("spurious", "K", "nothing"): 1,
        ("spurious", "F", "ancestor"): 1,
        ("spurious", "D", "descendant"): 1,
        ("spurious", "Z", "stranger"): 1,
    }


def test_the_nearest_of_several_counts() -> None:
    deep = listed(["violin"]), listed(["guitar", "voice", "strings"])
    found = tables([deep], DEEP)["errors"]
    assert found["miss", "violin", "ancestor"] == 1
    assert found["spurious", "guitar", "family"] == 1
    assert found["spurious", "voice", "stranger"] == 1


def test_what_nobody_judged_is_no_error() -> None:
    found = tables([(listed("F", absent="G"), listed("GK"))])
    assert found["instruments"] == {("F", "miss"): 1, ("G", "spurious"): 1}
    assert found["confusion"] == {("F", "G", "sibling"): 1}


def test_files_that_a_reader_must_know_of() -> None:
    pairs = [
        *CORPUS,
        (listed(""), listed("")),
        (listed(""), listed("")),
        (listed("F", absent=""), listed("G")),  # all that was said is unjudged
        (listed("F"), listed({"F": 0.5, "G": 0.5})),
        (listed("F"), listed("FG", ranked=False)),  # a set has no order to be tied in
        (listed("F"), listed({"F": 0.5, "G": 0.25})),
        (listed("F"), listed({"F": 0.0, "G": 0.0})),
    ]
    assert tables(pairs)["files"] == {
        ("nothing annotated, nothing listed",): 2,
        ("nothing annotated, something listed",): 1,
        ("nothing listed",): 2,
        ("labels tied",): 2,
    }


def test_files_with_too_many_errors_are_not_paired() -> None:
    missed, spurious = ([f"{side}{number}" for number in range(101)] for side in "mg")
    just = tables([(listed(missed[:100]), listed(spurious[:100]))], None)
    assert len(just["confusion"]) == 10_000
    pairs = [
        (listed(missed), listed(spurious)),
        (listed(["m0"]), listed(["g0"])),
        (listed(["m0"]), listed([])),
    ]
    found = tables(pairs, None)
    assert found["confusion"] == {("m0", "g0", "stranger"): 1}
    assert found["files"] == {("nothing listed",): 1, ("too many errors to pair",): 1}
    of_m0 = {kind: count for (_, label, kind), count in found["errors"].items() if label == "m0"}
    assert of_m0 == {"stranger": 1, "nothing": 1, "too many": 1}
    assert found["errors"]["spurious", "g100", "too many"] == 1


def test_scores_of_a_vocabulary_list_nothing_without_a_threshold() -> None:
    pairs = [(listed("F"), listed({"F": 0.5, "G": 0.75}, vector=True))]
    assert not any(tables(pairs)[name] for name in ("instruments", "families", "confusion", "errors"))
    assert tables(pairs, threshold="0.6")["instruments"] == {("F", "miss"): 1, ("G", "spurious"): 1}


def test_documents_of_queries_are_no_instruments() -> None:
    found = tables([(listed("F", query=True), listed("G"))])
    assert set(found) == {"instruments", "errors", "confusion", "files"}
    assert not any(found.values())


def test_systems_are_counted_apart() -> None:
    cases = [Case((listed("F"),), listed(said), group) for group, said in enumerate("FGG")]
    found = evaluate(cases, [MEASURES["open-mic-task1/P"]], options(FIGURE)).tables
    rows = [row for table in found for row in zip(table.groups.tolist(), table.classes, strict=True)]
    assert (0, ("F", "hit")) in rows
    assert (1, ("F", "miss")) in rows
    assert (2, ("F", "G", "sibling")) in rows
    assert (0, ("F", "miss")) not in rows
