# SPDX-License-Identifier: MIT
"""Which measures annotations allow, and what is said of the others."""

import re
from collections import Counter
from typing import Any

import numpy as np
import pytest

from kammerton.errors import Diagnostic
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.kernels import applicable, survey
from kammerton.instruments.taxonomy_files import TAXONOMIES
from kammerton.model.measure import Measure
from unit.instruments.scored import FIGURE, MEASURES, listed, options

ALL = list(MEASURES.values())
SET = listed("ab", ranked=False)
RANKED = listed("ab")
SCORED = listed({"a": 0.5, "b": 0.25})
VECTOR = listed({"a": 0.5, "b": 0.25}, vector=True)
TOPIC = InstrumentList(("d1",), query=True)


def graded(*grades: int) -> InstrumentList:
    labels = tuple(f"d{number}" for number in range(len(grades)))
    return InstrumentList(labels, grades=np.array(grades), query=True)


def applied(
    references: list[InstrumentList], estimates: list[InstrumentList], measures: list[Measure], chosen: Any
) -> tuple[tuple[Measure, ...], tuple[Diagnostic, ...]]:
    """Return what applies; the counts are those of two parts, added up."""
    counts = Counter[str]()
    for refs, ests in ((references[:1], estimates[1:]), (references[1:], estimates[:1])):
        counts.update(survey(refs, ests, chosen))
    assert counts == Counter(survey(references, estimates, chosen))
    return applicable(counts, measures, chosen)


def outcome(
    estimates: list[InstrumentList], references: list[InstrumentList] | None = None, **choices: Any
) -> tuple[set[str], list[str]]:
    """Return what is left out, and the codes that say so."""
    tree = choices.pop("tree", FIGURE)
    kept, notes = applied(references or [RANKED], estimates, ALL, options(tree, **choices))
    assert [measure for measure in ALL if measure in kept] == list(kept)
    assert all(note.severity == "note" for note in notes)
    return {str(measure) for measure in ALL if measure not in kept}, [note.code for note in notes]


def named(*patterns: str) -> set[str]:
    return {name for name in MEASURES if any(re.fullmatch(pattern, name) for pattern in patterns)}


HIERARCHICAL = named(".*/h[PRF]", "lca/.", ".*/ERR", ".*/EP@.*", ".*/GAP")
RETRIEVAL = named("open-mic-task2/.*") - named(".*/set_.")
VECTORS = named("scores/.*")
SETS = named("open-mic-task1/.*", "open-mic-task2/set_.", "kiritchenko.*", "lca/.*") - named(".*/AP")


@pytest.mark.parametrize(
    ("estimates", "choices", "left_out", "codes"),
    [
        ([SCORED], {}, VECTORS, ["KT673"]),
        ([SCORED], {"tree": None}, VECTORS | HIERARCHICAL, ["KT670", "KT673"]),
        ([RANKED], {}, VECTORS | RETRIEVAL, ["KT672", "KT673"]),
        ([SET], {}, VECTORS | RETRIEVAL | {"open-mic-task1/AP"}, ["KT671", "KT672", "KT673"]),
        ([VECTOR], {}, SETS, ["KT674"]),
        ([VECTOR], {"threshold": "0.5"}, set(), []),
        ([VECTOR], {"top_k": 1}, set(), []),
        ([VECTOR, RANKED], {}, SETS, ["KT674", "KT677", "KT679"]),
        ([SCORED, SET, SET, listed("a", ranked=False)], {}, VECTORS, ["KT673", "KT676", "KT679"]),
    ],
)
def test_what_is_left_out(
    estimates: list[InstrumentList], choices: dict[str, Any], left_out: set[str], codes: list[str]
) -> None:
    assert outcome(estimates, **choices) == (left_out, codes)


@pytest.mark.parametrize(
    ("references", "graded_too"),
    [([TOPIC], False), ([graded(1, 1)], False), ([graded(1, 2), TOPIC], True), ([graded(1, 2, 3)], False)],
)
def test_of_topics_only_what_makes_sense(references: list[InstrumentList], graded_too: bool) -> None:
    no_sense = HIERARCHICAL | VECTORS | named(".*/macro_.") - set()
    if graded_too:
        no_sense -= named(".*/ERR", ".*/EP@.*", ".*/GAP")
    for tree in (None, FIGURE):
        assert outcome([SCORED], references, tree=tree) == (no_sense, ["KT675"])


def test_topics_may_be_ranked_without_scores() -> None:
    assert "open-mic-task2/RR" not in outcome([RANKED], [TOPIC])[0]
    assert "open-mic-task2/RR" in outcome([SET], [TOPIC])[0]


def test_only_what_was_asked_for_is_spoken_of() -> None:
    wanted = [MEASURES["open-mic-task1/P"], MEASURES["open-mic-task1/hP"]]
    kept, notes = applied([RANKED], [SET], wanted, options())
    assert kept == (wanted[0],)
    (note,) = notes
    assert note.message == "no taxonomy: open-mic-task1/hP is not evaluated"
    assert note.hint is not None
    assert {each for each in TAXONOMIES if each in note.hint} == {*TAXONOMIES} - {"campaign-sample"}


def test_protocols_are_named_where_all_of_them_is_meant() -> None:
    _, notes = applied([RANKED], [RANKED], ALL, options())
    told = {note.code: note.message for note in notes}
    assert told["KT673"] == "estimates do not score every label of a vocabulary: scores are not evaluated"
    assert told["KT670"] == (
        "no taxonomy: open-mic-task1/hP hR hF, open-mic-task2/ERR EP@5 EP@10 EP@15 EP@20 EP@50 EP@100 GAP, "
        "kiritchenko2006, lca are not evaluated"
    )


def test_unranked_lists_beside_ranked_ones_are_counted() -> None:
    _, notes = applied([RANKED], [RANKED, SET], ALL, options())
    (note,) = [each for each in notes if each.code == "KT676"]
    assert note.message == "1 of 2 estimates are not ranked: all their labels tie"


def test_lists_beside_vectors_are_counted() -> None:
    _, notes = applied([RANKED], [VECTOR, SCORED, listed("")], ALL, options(threshold="0.5"))
    (note,) = [each for each in notes if each.code == "KT677"]
    assert note.message.startswith("1 of 3 estimates do not score every label: for scores,")
    _, notes = applied([RANKED], [VECTOR, SCORED], [MEASURES["open-mic-task1/AP"]], options())
    assert not notes


def test_lists_beside_scores_are_counted() -> None:
    _, notes = applied([RANKED], [SCORED, RANKED, listed("")], ALL, options())
    (note,) = [each for each in notes if each.code == "KT679"]
    assert note.message == "1 of 3 estimates have no scores: what they list comes last, and ties"
    _, notes = applied([TOPIC], [SCORED, RANKED], ALL, options())
    assert [each.code for each in notes] == ["KT675"]


def test_queries_and_recordings_are_not_scored_together() -> None:
    kept, (error,) = applied([RANKED, TOPIC, TOPIC], [RANKED], ALL, options())
    assert kept == ()
    assert (error.code, error.severity) == ("KT680", "error")
    assert error.message == "2 of 3 references are queries, and the others recordings"


def test_references_that_are_scores_are_counted() -> None:
    _, notes = applied([RANKED, VECTOR], [SCORED], ALL, options(truth_threshold=">0.3"))
    (note,) = [each for each in notes if each.code == "KT678"]
    assert note.message == "1 of 2 references score labels: annotated is what passes >0.3"
