# SPDX-License-Identifier: MIT
"""The conformance kit: the tasks pass it, and each way to break a task is found."""

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kammerton.chords import TASK as CHORDS
from kammerton.chords import ChordAnnotation
from kammerton.chords.task import PACKING
from kammerton.cli.demo import EXAMPLE
from kammerton.errors import DataError, Diagnostic, OptionError
from kammerton.fingering import TASK as FINGERING
from kammerton.instruments import TASK as INSTRUMENTS
from kammerton.instruments import InstrumentList, InstrumentOptions
from kammerton.model.measure import Measure, Statistics
from kammerton.model.task import Case, ClassTable, Evaluation, PackedColumn, Reading, Task
from kammerton.testing import NonconformityError, check_task, find_faults

TIMES = np.array([[0.0, 2.0], [2.0, 4.0]])
SONGS = [ChordAnnotation(TIMES, labels) for labels in (("C", "G:7"), ("C", "N"), ("D:sus4", "A:min/b3"))]


def test_chords_conform() -> None:
    songs = [
        *sorted((EXAMPLE / "chords").glob("*/Amazing Grace.*")),
        EXAMPLE / "chords/reference/Greensleeves.jams",
    ]
    check_task(CHORDS, samples=[*songs, *SONGS])


def test_fingering_conforms() -> None:
    pieces = sorted((EXAMPLE / "fingering").glob("*/*.txt"))
    # the cadence of `hasty` lacks a finger, by which nakamura2020 is no longer equal to itself
    whole = [
        path for path in pieces if (path.parent.name, path.name) != ("hasty", "Cadence_est_fingering.txt")
    ]
    assert len(whole) == 11
    check_task(FINGERING, samples=whole)


SCORES = np.array([0.5, 0.5, 0.25])
LISTS = [
    InstrumentList(("F", "H"), ranked=True),
    InstrumentList(("F", "G", "J"), SCORES, ranked=True),
    InstrumentList(()),
    InstrumentList(("B",), absent=("K",), closed=False),
]
VECTORS = [
    InstrumentList(("E", "F", "G"), scores, ranked=True, vector=True) for scores in (SCORES, 1 - SCORES)
]
TOPICS = [
    InstrumentList(("d1", "d2"), grades=np.array([1, 2]), query=True),
    InstrumentList(("d1", "d9"), SCORES[:2], ranked=True, query=True),
]


@pytest.mark.parametrize("samples", [LISTS, VECTORS, TOPICS], ids=["lists", "vectors", "topics"])
@pytest.mark.parametrize("choices", [{}, {"taxonomy": "campaign-sample"}], ids=["flat", "taxonomy"])
def test_instruments_conform(samples: Sequence[InstrumentList], choices: Mapping[str, Any]) -> None:
    check_task(INSTRUMENTS, samples=samples, options=InstrumentOptions(**choices))


def _without_rows(*given: Any) -> Evaluation:
    return replace(INSTRUMENTS.evaluate(*given), gathered=None)


def _made(change: Callable[[Statistics], Statistics]) -> Callable[..., Any]:
    def gather(*given: Any) -> tuple[tuple[str, ...], dict[Measure, Statistics]]:
        assert INSTRUMENTS.gather is not None
        names, found = INSTRUMENTS.gather(*given)
        return names, {measure: change(rows) for measure, rows in found.items()}

    return gather


def _half_nan(rows: Statistics) -> Statistics:
    return np.where(np.arange(rows.shape[1]) == 2, np.nan, rows)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        (
            {"evaluate": _without_rows},
            "open-mic-task1/macro_P: evaluate() returned no rows to make classes from",
        ),
        ({"gather": None}, "open-mic-task1/macro_P: the task has no gather() to make classes from"),
        ({"gather": _made(lambda rows: rows[1:])}, "open-mic-task1/macro_P: gather() returned no statistics"),
        ({"gather": lambda *given: ((), {})}, "open-mic-task1/macro_P: gather() returned no statistics"),
        ({"gather": _made(_half_nan)}, "open-mic-task1/macro_P: statistics are not finite"),
        (
            {"gather": _made(lambda rows: rows * np.array([9, 0, 0, 0, 0]) + 1)},
            "open-mic-task1/macro_P: values of classes outside of 0 to 1",
        ),
    ],
)
def test_classes_are_tried(changes: Mapping[str, Any], fault: str) -> None:
    found = faults(LISTS, INSTRUMENTS, **changes)
    assert any(each.startswith(fault) for each in found), found


def faults(samples: Sequence[Any] = SONGS, task: Task = CHORDS, **changes: Any) -> list[str]:
    """Return the faults of a changed task, but for its functions being those of a test."""
    return all_but_pickling(find_faults(replace(task, **changes), samples=samples))


def all_but_pickling(faults: Sequence[str]) -> list[str]:
    return [fault for fault in faults if not fault.startswith("workers cannot get the task")]


def with_measure(**changes: Any) -> dict[str, Any]:
    """Change the first measure of the first protocol."""
    protocol, *others = CHORDS.protocols
    first, *rest = protocol.measures
    return {"protocols": (replace(protocol, measures=(replace(first, **changes), *rest)), *others)}


def with_card(**changes: str) -> dict[str, Any]:
    return with_measure(card=replace(CHORDS.measures[0].card, **changes))


def with_protocol(**changes: Any) -> dict[str, Any]:
    return {"protocols": (replace(CHORDS.protocols[0], **changes), *CHORDS.protocols[1:])}


@dataclass
class Thawed:
    """Options.

    Parameters
    ----------
    told : int
        Described.
    """

    told: int = 0
    untold: int = 0


@dataclass(frozen=True)
class Needy:
    """Options.

    Parameters
    ----------
    one, two : int
        Both.
    """

    one: int
    two: int = field(default=2)


class Plain:
    pass


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"name": "Chords!"}, "task name 'Chords!': lower-case letters, digits and `_`, a letter first"),
        ({"summary": " "}, "the task has no summary of one line"),
        ({"suffixes": frozenset()}, "the task reads no suffix"),
        ({"suffixes": frozenset((".LAB",))}, "suffix '.LAB': lower-case, with its dot"),
        ({"protocols": ()}, "the task has no protocol"),
        ({"protocols": CHORDS.protocols * 2}, "2 protocols are called mirex2013"),
        ({"identify": lambda name: name}, "identify('folder/name') returned 'folder/name', not an item"),
        ({"default_measures": ("MajMim",)}, "default_measures: unknown measure `MajMim`"),
        (with_protocol(name="all"), "protocol all: this is the name of all protocols"),
        (with_protocol(name="mirex/2013"), "protocol mirex/2013: a name has letters, digits"),
        (with_protocol(revision=0), "protocol mirex2013: revisions count from 1"),
        (with_protocol(rules=""), "protocol mirex2013 has no rules"),
        (with_protocol(measures=()), "protocol mirex2013 has no measures"),
        (
            with_protocol(measures=tuple(replace(m, headline=False) for m in CHORDS.protocols[0].measures)),
            "protocol mirex2013 has no headline measure: tables would not show it",
        ),
        (with_protocol(measures=CHORDS.measures[:1] * 2), "2 measures are called mirex2013/Root"),
        (with_measure(protocol="other"), "measure other/Root is listed in protocol mirex2013"),
        (with_measure(name="Root|x"), "measure mirex2013/Root|x: a name has letters, digits"),
        (with_card(undefined_when=""), "the card of mirex2013/Root has no undefined_when"),
        (with_measure(range=(1.0, 1.0)), "the range of mirex2013/Root is empty: 1 to 1"),
        (with_measure(worst=0.5), "mirex2013/Root: higher is better, so the worst is not 0.5"),
        (with_measure(direction="lower"), "mirex2013/Root: lower is better, so the worst is not 0"),
        (with_measure(direction="up"), "mirex2013/Root has a direction 'up', which there is not"),
        (with_measure(weight_unit=""), "mirex2013/Root has no unit of weight"),
        (with_measure(needs="both"), "mirex2013/Root has a need 'both', which there is not"),
        (with_measure(beside=("pooled",)), "2 aggregate of mirex2013/Roots are called pooled"),
        (with_measure(beside=("sum",)), "mirex2013/Root has a aggregate 'sum', which there is not"),
        (
            with_measure(laws=frozenset(("gravity",))),
            "mirex2013/Root has a law 'gravity', which there is not",
        ),
        ({"options": Plain}, "options are no dataclass"),
        ({"options": Thawed}, "Thawed is not frozen"),
        ({"options": Thawed}, "option untold is not described in the docstring of Thawed"),
        ({"options": Needy}, "Needy() fails: options need defaults"),
    ],
)
def test_records_are_looked_through(changes: Mapping[str, Any], fault: str) -> None:
    found = faults(**changes)
    assert any(each.startswith(fault) for each in found), found


def without_labels(columns: Mapping[str, PackedColumn]) -> Sequence[Any]:
    found = PACKING.unpack(columns)
    return [each and ChordAnnotation(each.intervals, ("N",) * len(each)) for each in found]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"unpack": without_labels}, "sample 0 does not come back from a pack as it is"),
        ({"unpack": lambda columns: [None] * len(columns["starts"].lengths)}, "sample 0 does not come back"),
        ({"rows": lambda _: -1}, "sample 0 is packed with -1 rows"),
    ],
)
def test_what_does_not_come_back_from_a_pack_is_found(changes: Mapping[str, Any], fault: str) -> None:
    found = faults(packing=replace(PACKING, **changes))
    assert any(each.startswith(fault) for each in found), found


def test_tasks_without_packing_conform() -> None:
    assert faults(packing=None) == []


def test_lint_that_depends_on_where_an_annotation_comes_from_is_found() -> None:
    def lint(annotation: Any, _: Any) -> tuple[Diagnostic, ...]:
        known = any(annotation is each for each in SONGS)
        return () if known else (Diagnostic(code="XY123", severity="warning", message="odd"),)

    found = faults(lint=lint)
    assert any(each.startswith("lint() reports something else of sample 0") for each in found), found


def test_several_names_of_one_line_are_described_together() -> None:
    assert not any("is not described" in fault for fault in faults(options=Needy))


Change = Callable[[Measure, Statistics], Statistics]


def evaluating(
    change: Change, tables: Callable[[tuple[ClassTable, ...]], tuple[ClassTable, ...]] = tuple
) -> Any:
    """Return ``evaluate`` of chords with the statistics changed."""

    def evaluate(cases: Sequence[Case[Any]], measures: Sequence[Measure], options: Any) -> Evaluation:
        found = CHORDS.evaluate(cases, measures, options)
        return Evaluation({m: change(m, each) for m, each in found.statistics.items()}, tables(found.tables))

    return evaluate


ROOT = CHORDS.measures[0]


def at_root(change: Callable[[Statistics], Statistics]) -> Any:
    return evaluating(lambda measure, found: change(found) if measure == ROOT else found)


@dataclass(frozen=True)
class Bent:
    """The formula of ``mirex2013/Root`` with something else bent."""

    value: Callable[[Statistics], Any] = ROOT.formula.finalise
    weigh: Callable[[Statistics], Any] = ROOT.formula.weight
    worsen: Callable[[Statistics], Any] = ROOT.formula.worst
    statistics: tuple[str, ...] = ROOT.formula.statistics

    def finalise(self, statistics: Statistics, /) -> Any:
        return self.value(statistics)

    def weight(self, statistics: Statistics, /) -> Any:
        return self.weigh(statistics)

    def worst(self, statistics: Statistics, /) -> Any:
        return self.worsen(statistics)


def bent(**how: Any) -> dict[str, Any]:
    """Change the formula of the first measure, and let the kernels find the measure all the same."""

    def evaluate(cases: Sequence[Case[Any]], measures: Sequence[Measure], options: Any) -> Evaluation:
        asked = [ROOT if str(measure) == str(ROOT) else measure for measure in measures]
        found = CHORDS.evaluate(cases, asked, options)
        return Evaluation(
            {m: found.statistics[known] for m, known in zip(measures, asked, strict=True)}, found.tables
        )

    return {**with_measure(formula=Bent(**how)), "evaluate": evaluate}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"evaluate": lambda *_: Evaluation({})}, "mirex2013/Root: evaluate() returned no statistics"),
        (
            {"evaluate": at_root(lambda found: found[:, :3])},
            "mirex2013/Root: statistics of shape (12, 3), not (12, 6)",
        ),
        ({"evaluate": at_root(lambda found: found * np.nan)}, "mirex2013/Root: statistics are not finite"),
        # what a case leaves must not depend on the others: here it is divided by their number
        (
            {"evaluate": at_root(lambda found: found / len(found))},
            "mirex2013/Root: the statistics of a case depend",
        ),
        (bent(value=lambda found: found[:, 0] + 2), "mirex2013/Root: values outside of 0 to 1: [2.0"),
        (bent(value=lambda found: found[0]), "mirex2013/Root: a value and a weight for each row are needed"),
        (bent(weigh=lambda found: -1 - found[:, 0]), "mirex2013/Root: weights are negative or not finite"),
        (
            bent(worsen=lambda found: found[:, :1]),
            "mirex2013/Root: worst() returned statistics of shape (12, 1)",
        ),
        (bent(worsen=lambda found: found), "mirex2013/Root: worst() is worth "),
        (
            bent(value=lambda found: found[:, 1] * 0 + 0.5),
            "mirex2013/Root: sample 0 scores 0.5 against itself, not 1",
        ),
        (
            {
                "evaluate": evaluating(
                    lambda _, found: found,
                    lambda tables: (replace(tables[0], weights=tables[0].weights * 0 + 1),),
                )
            },
            "class table confusion: the tables of single cases do not add up to that of all",
        ),
        (
            {
                "evaluate": evaluating(
                    lambda _, found: found, lambda tables: (replace(tables[0], columns=("one",)),)
                )
            },
            "class table confusion: rows and columns ('one',) differ in number",
        ),
    ],
)
def test_kernels_are_tried(changes: Mapping[str, Any], fault: str) -> None:
    found = faults(**changes)
    assert any(each.startswith(fault) for each in found), found


def test_what_depends_on_what_else_is_measured_is_found() -> None:
    def evaluate(cases: Sequence[Case[Any]], measures: Sequence[Measure], options: Any) -> Evaluation:
        found = CHORDS.evaluate(cases, measures, options)
        return Evaluation({m: each * len(measures) for m, each in found.statistics.items()}, found.tables)

    assert "mirex2013/Root: the statistics depend on what else is measured" in faults(evaluate=evaluate)


def test_statistics_have_names_of_their_own() -> None:
    names = ("right",) * len(ROOT.formula.statistics)
    found = faults(**with_measure(formula=Bent(statistics=names)))
    assert found == [f"mirex2013/Root: statistics have names, each its own: {', '.join(names)}"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ifr_melodic", "ifr_melodic_references"])
def test_identity_is_tried_for_what_needs_one_side_only(name: str) -> None:
    """Of 28 steps of the scale by ``hasty`` 4 cannot be played: being the reference makes it no better."""
    *others, last = FINGERING.protocols
    bold = tuple(replace(m, laws=m.laws | {"identity"}) if m.name == name else m for m in last.measures)

    def evaluate(cases: Sequence[Case[Any]], measures: Sequence[Measure], options: Any) -> Evaluation:
        known = {str(measure): measure for measure in FINGERING.measures}
        found = FINGERING.evaluate(cases, [known[str(measure)] for measure in measures], options)
        return Evaluation({m: found.statistics[known[str(m)]] for m in measures}, found.tables)

    pieces = sorted((EXAMPLE / "fingering").glob("*/C major*"))
    changed = replace(FINGERING, protocols=(*others, replace(last, measures=bold)), evaluate=evaluate)
    assert all_but_pickling(find_faults(changed, samples=pieces)) == [
        f"playability/{name}: sample 1 scores 0.142857 against itself, not 0"
    ]


def test_a_doubled_annotator_is_tried() -> None:
    doubling = next(measure for measure in FINGERING.measures if str(measure) == "strike/M_soft")

    def evaluate(cases: Sequence[Case[Any]], asked: Sequence[Measure], options: Any) -> Evaluation:
        found = FINGERING.evaluate(cases, asked, options)
        statistics = dict(found.statistics)
        if doubling in statistics:
            several = np.array([len(case.references) > 1 for case in cases])
            statistics[doubling] = statistics[doubling] * np.where(several, 0.5, 1)[:, None] ** np.array(
                [1, 0]
            )
        return Evaluation(statistics, found.tables)

    pieces = sorted((EXAMPLE / "fingering/reference").glob("Cad*"))
    found = faults(pieces, FINGERING, evaluate=evaluate)
    assert "strike/M_soft: 1 with an annotator once, 0.5 with the same one twice" in found


def test_evidence_that_does_not_merge_is_found() -> None:
    """A confusion that counts the cases it was made with, instead of their time."""

    def evaluate(cases: Sequence[Case[Any]], measures: Sequence[Measure], options: Any) -> Evaluation:
        found = CHORDS.evaluate(cases, measures, options)
        table = replace(found.tables[0], weights=found.tables[0].weights + len(cases))
        return Evaluation(found.statistics, (table,))

    assert "class table confusion of a corpus differs from that of its two halves merged" in faults(
        evaluate=evaluate
    )


def test_tables_that_a_half_does_not_have_are_found() -> None:
    def evaluate(cases: Sequence[Case[Any]], measures: Sequence[Measure], options: Any) -> Evaluation:
        found = CHORDS.evaluate(cases, measures, options)
        return Evaluation(found.statistics, found.tables[:1] if len(cases) > 2 else ())

    assert "class table confusion of a corpus differs from that of its two halves merged" in faults(
        evaluate=evaluate
    )


def test_views_and_conversion_are_optional() -> None:
    assert faults(view=None, conversion=None, lint=None) == []


def refusing(*codes: Diagnostic) -> Any:
    return lambda *_: Reading((), codes)


def diagnostic(**changes: Any) -> Diagnostic:
    return replace(Diagnostic(code="KT110", severity="error", message="no rows"), **changes)


def raising(*_: Any) -> Any:
    raise ValueError("no chord")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("read", "fault"),
    [
        (raising, "reading a file .csv (empty) raises ValueError: no chord"),
        (raising, "reading a folder raises ValueError: no chord"),
        (refusing(), "reading a file .csv (empty) gives neither an annotation nor an error"),
        (refusing(diagnostic(severity="warning")), "reading a path .lab without a file gives neither"),
        (
            refusing(diagnostic()),
            "reading a file .jams (json begun): KT110 names the file None, which is called",
        ),
        (refusing(diagnostic(code="oops")), "reading a folder: 'oops' is no code"),
        (refusing(diagnostic(message="two\nlines")), "reading a folder: the message of KT110 is not one"),
    ],
)
def test_readers_are_given_garbage(read: Any, fault: str) -> None:
    found = faults(read=read)
    assert any(each.startswith(fault) for each in found), found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        (
            {"content": lambda _: b"same"},
            "samples 0 and 1 have the same content: it must tell annotations apart",
        ),
        ({"content": lambda _: "text"}, "content() returns no bytes"),
        (
            {"content": lambda each, seen=[]: seen.append(1) or repr(len(seen)).encode()},
            "content() of one annotation",
        ),
        ({"extent": lambda _: float("inf")}, "sample 0 has the extent inf"),
        ({"extent": lambda _: float("nan")}, "sample 0 has the extent nan"),
        ({"match": lambda *_: (None, ())}, "sample 0 does not match itself"),
        ({"adopt": raising}, "adopt() of sample 0 raises ValueError: no chord"),
        ({"adopt": raising}, "adopt() of an object that is no annotation raises ValueError"),
        ({"adopt": lambda *_: Reading(((None, SONGS[0]),))}, "adopt() does not return sample 1 as it is"),
        ({"adopt": lambda *_: Reading((), (diagnostic(),))}, "a corpus of the samples cannot be scored"),
        ({"extent": raising}, "trying its annotations raises ValueError: no chord"),
        ({"lint": lambda *_: (diagnostic(),)}, "lint() of sample 0: KT110 is an error, or names a file"),
        ({"view": raising}, "trying its views raises ValueError: no chord"),
    ],
)
def test_annotations_are_tried(changes: Mapping[str, Any], fault: str) -> None:
    found = faults(**changes)
    assert any(each.startswith(fault) for each in found), found


def test_views_are_tried() -> None:
    assert CHORDS.view is not None

    def view(*arguments: Any) -> Any:
        shown = CHORDS.view(*arguments)  # type: ignore[misc]
        return replace(shown, tracks=tuple(replace(track, note="") for track in shown.tracks[:2]))

    found = faults(view=view)
    assert "the view of sample 0 has the tracks ['me', 'same'], not ['me', 'same', 'blank', 'gone']" in found
    assert "the view of sample 0 does not say why an estimate is not there" in found


def test_a_sample_that_is_changed_is_noticed() -> None:
    spoilt = [ChordAnnotation(TIMES.copy(), labels) for labels in (("C", "G:7"), ("C", "N"))]

    def extent(annotation: ChordAnnotation) -> float:
        annotation.intervals[-1, 1] += 1
        return 4.0

    assert "the samples have been changed; annotations are never written to" in faults(spoilt, extent=extent)


@pytest.mark.slow
def test_conversion_is_tried_on_files(tmp_path: Path) -> None:
    for name, rows in (("a.lab", "0 1 C\n1 2 G\n"), ("b.lab", "0 1 D\n")):
        (tmp_path / name).write_text(rows)
    files = sorted(tmp_path.glob("*.lab"))
    assert CHORDS.conversion is not None
    assert find_faults(CHORDS, samples=files) == []
    numbers = iter(range(1000))

    def counted(tracks: Sequence[Any], form: str) -> str:
        return CHORDS.conversion.render(tracks, form) + f"# {next(numbers)}\n"  # type: ignore[union-attr]

    conversion = CHORDS.conversion

    def twice(path: Any, name: str, options: Any) -> Reading[Any]:
        found = conversion.load(path, name, options)
        return Reading(found.annotations * 2 if name == "a" else found.annotations)

    def refuse(*_: Any) -> str:
        raise DataError((diagnostic(code="KT151"),))

    assert faults(files, conversion=replace(conversion, render=refuse)) == []

    def read(path: Any, name: str, options: Any) -> Reading[Any]:
        found = CHORDS.read(path, name, options)
        return Reading(found.annotations * 2, found.diagnostics) if name == "a" else found

    assert "a.lab as lab: what is written is not read as an annotation" in faults(files, read=read)
    for changed, fault in (
        ({"render": counted}, "a.lab as lab: what is read back is written otherwise"),
        ({"render": lambda *_: ""}, "a.lab as lab: 1 annotations written, 0 read"),
        (
            {"forms": {**conversion.forms, "odd": ".odd"}},
            "format odd is written to files .odd, which the task does not",
        ),
        ({"load": twice}, "a.lab as lab: 1 annotations written, 2 read"),
        ({"joint": frozenset(("cd",))}, "format cd holds several annotators, and is not written"),
        (
            {"sheets": frozenset(("cd",))},
            "format cd holds many items, and is not written, or nothing gathers them",
        ),
    ):
        found = faults(files, conversion=replace(conversion, **changed))
        assert any(each.startswith(fault) for each in found), found


def test_every_fault_is_listed_at_once() -> None:
    with pytest.raises(NonconformityError) as caught:
        check_task(replace(CHORDS, name="", summary=""), samples=SONGS)
    assert len(caught.value.faults) == 2
    assert str(caught.value) == (
        "task '' has 2 faults:\n- task name '': lower-case letters, digits and `_`, a letter first\n"
        "- the task has no summary of one line"
    )
    assert isinstance(caught.value, AssertionError)
    with pytest.raises(NonconformityError, match="has 1 fault:"):
        check_task(replace(CHORDS, summary=""), samples=SONGS)


def test_samples_must_be_of_use(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="two samples are needed"):
        check_task(CHORDS, samples=SONGS[:1])
    (tmp_path / "a.lab").write_text("0 1 H\n")
    with pytest.raises(OptionError, match=r"sample .*a.lab cannot be read\n  help: .*KT310"):
        check_task(CHORDS, samples=[tmp_path / "a.lab", *SONGS])


def test_the_kit_needs_no_test_framework() -> None:
    code = "import sys, kammerton.testing; print([m for m in ('pytest', 'hypothesis') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
