# SPDX-License-Identifier: MIT
"""Results as users look at them: by name, as tables, and printed."""

import math
from pathlib import Path

import pytest

import kammerton as kt

DEMO = Path(kt.__file__).parent / "demo"
REFERENCE, CAREFUL, HASTY = (str(DEMO / "chords" / name) for name in ("reference", "careful", "hasty"))
SONG = [(0, 2), (2, 4)], ["C", "G:7"]
HALF, WHOLE = ([(0, 4)], ["C"]), ([(0, 2), (2, 4)], ["C", "G"])


def test_one_score_and_its_interval() -> None:
    scores = kt.score("chords", SONG, HALF, measures=["MajMin", "Sevenths"])
    assert (scores["MajMin"], scores["mirex2013/Sevenths"]) == (0.5, 0.5)
    low, high = scores.interval("MajMin")
    assert math.isnan(low)  # of one song nothing is known
    assert math.isnan(high)
    with pytest.raises(kt.OptionError, match="MajMinn"):
        scores["MajMinn"]
    with pytest.raises(TypeError):
        list(scores)  # type: ignore[call-overload]


def test_scores_of_several_systems_flat_and_wide() -> None:
    systems = {"half": {"song": HALF}, "whole": {"song": WHOLE}}
    scores = kt.score("chords", {"song": SONG}, systems, measures=["MajMin", "Sevenths"])
    assert scores.flat("whole") == {"mirex2013/MajMin": 1.0, "mirex2013/Sevenths": 0.5}
    with pytest.raises(kt.OptionError, match="system"):
        scores.flat()
    wide = scores.wide()
    assert wide.columns == ["system", "mirex2013/MajMin", "mirex2013/Sevenths"]
    assert wide.rows() == [("half", 0.5, 0.5), ("whole", 1.0, 0.5)]
    unscored = kt.score("chords", ([(0, 1)], ["X"]), HALF, measures=["MajMin"])
    assert unscored.wide().rows() == [("estimate", None)]


def test_what_is_printed_fits_a_screen(tmp_path: Path) -> None:
    scores = kt.score("chords", REFERENCE, [CAREFUL, HASTY], protocols="all", context=True, group_by="^(.)")
    converted = kt.convert("chords", REFERENCE, tmp_path / "jams", to="jams")
    packed = kt.pack("chords", REFERENCE, tmp_path / "songs.parquet")
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "a.lab").write_text("\n".join(f"{row} {row + 1} H" for row in range(40)))
    checked = kt.check("chords", str(broken))
    accumulator = kt.Accumulator("chords")
    accumulator.update(SONG, HALF)
    beginnings = [
        (scores, "careful is not significantly better than hasty"),
        (kt.gate(scores, fail_under={"mirex2013/MajMin": 0.9}), "mirex2013/MajMin of hasty is 61."),
        (converted, "4 files written, 0 not converted"),
        (checked, "chords: 1 file checked, problems: KT"),
        (kt.annotate("chords", REFERENCE, "baseline:all-N"), "chords by baseline:all-N: 4 items annotated"),
        (accumulator, "<Accumulator of chords: 1 item>"),
        (kt.instruments.load_taxonomy("openmic-2018"), "<Taxonomy openmic-2018: "),
        (kt.chords.read(f"{HASTY}/Greensleeves.lab"), "ChordAnnotation(array([["),
        (scores.context, "<Context: 3 baselines"),
        (scores.groups, "<Groups by group: `A`, `F`"),
    ]
    for result, beginning in beginnings:
        lines = repr(result).splitlines()
        assert len(lines) <= 25
        assert lines[0].startswith(beginning)
        assert max(map(len, lines)) < 400
    assert repr(packed).startswith("4 items, 4 annotations, 85 rows in ")
