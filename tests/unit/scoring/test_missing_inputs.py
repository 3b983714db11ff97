# SPDX-License-Identifier: MIT
"""A measure has no value without what its formula asks for: each input is taken away in turn."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import kammerton as kt
from kammerton.cli import main
from kammerton.model.registry import TASKS, find_task

# What each measure needs, by its formula in the specification, not by our code. A measure that is not here
# fails the test below: say what it needs.

_LABELS = ("reference labels",)  # there is nothing to agree with in a reference without labels
_HANDS = ("reference hands", "estimate hands")
_STEPS = ("pitches", "onsets")  # from key to key of a hand, by when keys are struck
_RANKS = ("order", "scores")  # files are ranked by the scores that they have
_PLACES = (5, 10, 15, 20, 50, 100)


def _each(names: Iterable[str], *inputs: str) -> dict[str, frozenset[str]]:
    return dict.fromkeys(names, frozenset(inputs))


NEEDS: dict[str, dict[str, frozenset[str]]] = {
    "chords": {
        # seconds on which labels agree, over seconds of the reference in the vocabulary
        **_each(("Root", "MajMin", "MajMinBass", "Sevenths", "SeventhsBass", "Mirex2010", "ACQA"), *_LABELS),
        **_each(("thirds", "thirds_inv", "triads", "triads_inv", "tetrads", "tetrads_inv"), *_LABELS),
        **_each(("root", "mirex", "majmin", "majmin_inv", "sevenths", "sevenths_inv", "CSR"), *_LABELS),
        # boundaries alone
        **_each(("MeanSeg", "UnderSeg", "OverSeg", "WorstSeg", "underseg", "overseg", "seg")),
        **_each(("OvS", "UnS", "Seg")),
        # seconds of the reference, also those without a label of the vocabulary, which count as wrong
        **_each(("CSR_total",)),
    },
    "fingering": {
        # notes on which labels agree, over notes that annotators labelled; a note without label is a miss
        **_each(("M_gen", "M_high", "M_soft", "M_rec", "M_high_piece"), *_LABELS),
        **_each(("Accuracy", "accuracy", "coverage", "finger_F1"), *_LABELS),
        # notes in the annotator's hand, which labels without hands and signs do not tell
        **_each(("hand_accuracy",), *_LABELS, *_HANDS),
        # over notes in the annotator's hand, and over notes that are predicted
        **_each(("finger_accuracy",), *_LABELS, *_HANDS, "estimate labels"),
        **_each(("covered_accuracy",), *_LABELS, "estimate labels"),
        # steps in the order given; of unknown hands one is assumed, and crossings are not judged
        **_each(("IFR",), "estimate labels", "pitches"),
        # legato: from when a key is let go to when the next one is struck; chords: struck within 30 ms
        **_each(("ifr_melodic",), "estimate labels", "estimate hands", *_STEPS, "durations"),
        **_each(("ifr_melodic_references",), *_LABELS, "reference hands", *_STEPS, "durations"),
        **_each(("ifr_chord",), "estimate labels", "estimate hands", *_STEPS),
        **_each(("ifr_chord_references",), *_LABELS, "reference hands", *_STEPS),
    },
    "instruments": {
        # sets of labels: of scores for every label, a threshold says which are listed
        **_each([f"{mean}{which}" for mean in ("", "micro_", "macro_") for which in "PRF"], "cut"),
        **_each(("set_P", "set_R", "set_F"), "cut"),
        **_each(("hP", "hR", "hF", "lca/P", "lca/R", "lca/F"), "cut", "taxonomy"),
        # the order of labels in a file, and of files for a label
        **_each(("open-mic-task1/AP",), "order"),
        **_each(("RR", "open-mic-task2/AP", "nDCG"), *_RANKS),
        **_each([f"P@{places}" for places in _PLACES], *_RANKS),
        # grades are those of siblings in a taxonomy
        **_each(("ERR", "GAP", *(f"EP@{places}" for places in _PLACES)), *_RANKS, "taxonomy"),
        # curves over the scores of every label
        **_each(("mAP", "ROC_AUC", "PR_AUC", "LRAP"), *_RANKS, "vectors"),
        **_each(("micro_mAP", "micro_ROC_AUC", "micro_PR_AUC"), *_RANKS, "vectors"),
    },
}


@dataclass(frozen=True, kw_only=True)
class Lack:
    """A corpus in which something is not there.

    Parameters
    ----------
    inputs : set of str
        What is not there.
    ref, est : mapping of str to str
        Files of both sides, by name.
    options : dict
        Options of scoring.
    why : str
        Pattern of the reason that items of a measure have that needs it; or the code of the note that says
        why the measure is not evaluated.
    """

    inputs: set[str]
    ref: Mapping[str, str]
    est: Mapping[str, str]
    options: dict[str, str] = field(default_factory=dict)
    why: str = ""


# Each hand plays two steps and a chord.
_NOTES = "onset,offset,pitch,hand,finger"
_PIECE = [
    *(("0", "1", "60", "R", "1"), ("1", "2", "62", "R", "2"), ("2", "3", "64", "R", "3")),
    *(("3", "4", "60", "R", "1"), ("3", "4", "64", "R", "3")),
    *(("0", "1", "48", "L", "5"), ("1", "2", "50", "L", "4"), ("2", "3", "52", "L", "3")),
    *(("3", "4", "48", "L", "5"), ("3", "4", "52", "L", "3")),
]


def piece(**instead: str) -> Mapping[str, str]:
    """Return the piece as a file, with other text in some columns, or without them if there is none."""
    names = _NOTES.split(",")
    kept = [name for name in names if instead.get(name) != "none"]
    rows = [{**dict(zip(names, note, strict=True)), **instead} for note in _PIECE]
    return {"piece.csv": "\n".join([",".join(kept), *(",".join(row[name] for name in kept) for row in rows)])}


def unlasting() -> Mapping[str, str]:
    """Return the piece with notes that end when they begin."""
    rows = [",".join((onset, onset, *rest)) for onset, _, *rest in _PIECE]
    return {"piece.csv": "\n".join([_NOTES, *rows])}


_ALONE = {"piece.json": "[6, 7, 8, 6, 8, 5, 4, 3, 5, 3]"}  # the fingers of the piece, counted from 1 to 10

_CHORDS = {"song.lab": "0 2 C\n2 4 G:7\n"}

_SETS = {"truth.csv": "file,instrument\na,piano\na,violin\nb,guitar\n"}
_RANKED = {"ranked.json": '{"a": ["piano", "guitar"], "b": ["guitar", "piano"]}'}
_LISTED = {"listed.csv": "file,instrument\na,piano\nb,guitar\nb,piano\n"}
_SCORED = {"scored.csv": "file,instrument,score\na,piano,0.9\nb,guitar,0.8\nb,piano,0.4\n"}
_VECTORS = {"vectors.csv": "file,piano,violin,guitar\na,0.9,0.2,0.3\nb,0.1,0.2,0.8\n"}
_TAXONOMY, _CUT = {"taxonomy": "openmic-2018"}, {"threshold": "0.5"}

LACKS: dict[str, dict[str, Lack]] = {
    "chords": {
        "nothing": Lack(inputs=set(), ref=_CHORDS, est=_CHORDS),
        "reference labels": Lack(
            inputs={"reference labels"},
            ref={"song.lab": "0 2 X\n2 4 X\n"},
            est=_CHORDS,
            why="nothing comparable: ",
        ),
    },
    "fingering": {
        "nothing": Lack(inputs=set(), ref=piece(), est=piece()),
        "reference labels": Lack(
            inputs={"reference labels"},
            ref=piece(finger=""),
            est=piece(),
            why="no_fingers|nothing comparable: ",
        ),
        "estimate labels": Lack(
            inputs={"estimate labels"}, ref=piece(), est=piece(finger=""), why="no_fingers"
        ),
        "pitches": Lack(inputs={"pitches", "onsets", "durations"}, ref=_ALONE, est=_ALONE, why="no_pitches"),
        "onsets": Lack(
            inputs={"onsets", "durations"},
            ref=piece(onset="0", offset="0"),
            est=piece(onset="0", offset="0"),
            why="no_onsets",
        ),
        "durations": Lack(inputs={"durations"}, ref=unlasting(), est=unlasting(), why="no_durations"),
        "hands": Lack(
            inputs={"reference hands", "estimate hands"},
            ref=piece(hand="none"),
            est=piece(hand="none"),
            why="no_hands",
        ),
        "estimate hands": Lack(
            inputs={"estimate hands"}, ref=piece(), est=piece(hand="none"), why="no_hands"
        ),
        "reference hands": Lack(
            inputs={"reference hands"}, ref=piece(hand="none"), est=piece(), why="no_hands"
        ),
    },
    "instruments": {
        "nothing": Lack(inputs=set(), ref=_SETS, est=_VECTORS, options=_TAXONOMY | _CUT),
        "taxonomy": Lack(inputs={"taxonomy"}, ref=_SETS, est=_VECTORS, options=_CUT, why="KT670"),
        "order": Lack(
            inputs={"order", "scores", "vectors"}, ref=_SETS, est=_LISTED, options=_TAXONOMY, why="KT671"
        ),
        "scores": Lack(inputs={"scores", "vectors"}, ref=_SETS, est=_RANKED, options=_TAXONOMY, why="KT672"),
        "vectors": Lack(inputs={"vectors"}, ref=_SETS, est=_SCORED, options=_TAXONOMY, why="KT673"),
        "cut": Lack(inputs={"cut"}, ref=_SETS, est=_VECTORS, options=_TAXONOMY, why="KT674"),
    },
}

CASES = [(task, name) for task, lacks in LACKS.items() for name in lacks]


def needs_of(task: str, address: str) -> frozenset[str]:
    """Return what a measure needs, by its address or its name."""
    known = NEEDS[task]
    return known[address] if address in known else known[address.partition("/")[2]]


def written(lack: Lack, folder: Path) -> tuple[str, str]:
    """Write both sides into folders of their own, and return their paths."""
    for side, files in (("ref", lack.ref), ("est", lack.est)):
        (folder / side).mkdir()
        for name, text in files.items():
            (folder / side / name).write_text(text)
    paths = [folder / "ref", folder / "est"]
    if not any("piece" in name or "song" in name for name in lack.ref):  # one file of many recordings
        paths = [next(path.iterdir()) for path in paths]
    return str(paths[0]), str(paths[1])


def every_protocol(task: str) -> list[str]:
    return [protocol.name for protocol in find_task(task).protocols]


@pytest.mark.parametrize("task", TASKS)
def test_every_measure_says_what_it_needs(task: str) -> None:
    measures = find_task(task).measures
    known = {str(measure) for measure in measures} | {measure.name for measure in measures}
    assert set(NEEDS[task]) <= known
    undeclared = [str(m) for m in measures if not {str(m), m.name} & NEEDS[task].keys()]
    assert not undeclared
    taken_away = set().union(*(lack.inputs for lack in LACKS[task].values()))
    assert set().union(*NEEDS[task].values()) == taken_away


@pytest.mark.parametrize(("task", "name"), CASES, ids=map("-".join, CASES))
def test_what_is_missing_is_never_made_up(task: Any, name: str, tmp_path: Path) -> None:
    lack = LACKS[task][name]
    options: Any = find_task(task).options(**lack.options)
    ref, est = written(lack, tmp_path)
    scores = kt.score(task, ref, {"x": est}, protocols=every_protocol(task), options=options, ci=None)
    told = {each.code for each in scores.diagnostics}
    for measure in find_task(task).measures:
        is_lacking = bool(needs_of(task, str(measure)) & lack.inputs)
        if measure not in scores.measures:
            assert is_lacking, measure
            assert lack.why in told, measure
            continue
        assert math.isnan(scores.value(str(measure))) == is_lacking, measure
        rows = scores.items_by([measure]).to_dicts()
        assert rows, measure
        if is_lacking:
            assert {(row["value"], row["status"]) for row in rows} == {(None, "undefined")}, measure
            assert all(re.match(lack.why, row["reason"]) for row in rows), measure


@pytest.mark.parametrize(("task", "name"), CASES, ids=map("-".join, CASES))
def test_a_gate_fails_on_what_has_no_value(
    task: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Limits are the worst values, which every number passes."""
    lack, measures = LACKS[task][name], find_task(task).measures
    ref, est = written(lack, tmp_path)
    worst = {str(m): m.range[m.direction == "lower"] for m in measures}
    gates = [word for address, limit in worst.items() for word in ("--fail-under", f"{address}={limit}")]
    options = [f"--{option}={value}" for option, value in lack.options.items()]
    protocols = f"--protocol={','.join(every_protocol(task))}"
    code = main(["score", task, ref, f"x={est}", protocols, "--no-ci", "--quiet", *options, *gates])
    said = capsys.readouterr().err
    failed = re.findall(r"^--fail-under: (\S+) of x is (?:undefined|not evaluated)", said, re.MULTILINE)
    assert failed == [str(m) for m in measures if needs_of(task, str(m)) & lack.inputs]
    assert code == (6 if failed else 0)
