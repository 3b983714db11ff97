# SPDX-License-Identifier: MIT
"""What results print of themselves: short, the main thing first, in every form."""

import re
from pathlib import Path
from typing import Any

import pytest

import kammerton as kt
from cli.harness import Terminal
from kammerton.errors import DataError

REFERENCES = {f"{n:02}": ([(0, 4)], ["C"]) for n in range(40)}
SYSTEMS = {
    name: {item: ([(0, end), (end, 4)], ["C", "G"]) for item in REFERENCES}
    for name, end in (("good", 3), ("poor", 1))
}


def test_what_changed_is_printed_in_a_screen() -> None:
    before, after = (
        kt.score("chords", REFERENCES, {"mine": SYSTEMS[name]}, ci=None) for name in ("good", "poor")
    )
    lines = repr(kt.diff(before, after)).splitlines()
    assert lines[0].startswith("40 of 40 items changed; ")
    assert len(lines) <= 25
    assert repr(kt.diff(before, before)).splitlines()[-1] == "nothing changed"


def test_agreement_is_printed_in_a_screen_and_in_every_form() -> None:
    one = {"song": ([(0, 4)], ["C"])}
    agreed = kt.agree("chords", {f"a{n}": one for n in range(22)}, measures=["mirex2013/MajMin"])
    lines = repr(agreed).splitlines()
    assert re.match("MajMin, % +a0 +a1 ", lines[0])
    assert len(lines) == 25
    assert lines[-1].endswith("more lines: `to_dict()` has everything")
    two = kt.agree("chords", SYSTEMS, protocols=["mirex2013"])
    assert "Odd one out" not in repr(two)
    assert "| MajMin, % | good | poor | mean |" in two.to_markdown()
    assert two.to_latex(digits=2).count("\\begin{table}") == 2
    assert "<pre>MajMin" in two._repr_html_()


def test_annotators_that_are_numbers_are_not_printed_one_by_one(tmp_path: Path) -> None:
    for folder in ("ref", "est"):
        (tmp_path / folder).mkdir()
    for item in "ab":
        for number in (1, 2):
            (tmp_path / f"ref/{item}-{number}_fingering.txt").write_text("0\t0.0\t0.5\tC4\t64\t80\t0\t1\n")
        (tmp_path / f"est/{item}_fingering.txt").write_text("0\t0.0\t0.5\tC4\t64\t80\t0\t1\n")
    scores = kt.score("fingering", str(tmp_path / "ref"), {"est": str(tmp_path / "est")})
    assert "Against all annotators of an item together: 2." in repr(scores)
    assert "1, 2" not in repr(scores)


def test_a_comparison_is_signed_as_scores_are() -> None:
    chosen: dict[str, Any] = {"protocols": ["mirex2013"], "ci": 0.9, "resamples": 200, "seed": 7}
    scored = kt.score("chords", REFERENCES, SYSTEMS, **chosen)
    compared = kt.compare("chords", REFERENCES, SYSTEMS, **chosen)
    signature = scored.signatures("all")[scored.measures[0]]
    assert "|ci:0.9,expanded-percentile,200,7|" in signature
    assert compared.to_dict()["measures"][0]["signature"] == signature
    assert compared.scores.ci is None


def test_fused_annotations_are_estimates_and_references() -> None:
    fused = kt.fuse("chords", {**SYSTEMS, "third": SYSTEMS["good"]}, copies="keep")
    measure = "mirex2013/MajMin"
    for estimates in (fused, {"fused": fused}):
        assert kt.score("chords", REFERENCES, estimates, measures=[measure], ci=None).value(measure) == 0.75
    assert kt.score("chords", fused, SYSTEMS["good"], measures=[measure], ci=None).value(measure) == 1


def test_hints_in_python_name_its_options(tmp_path: Path) -> None:
    path = tmp_path / "a.lab"
    path.write_text("0,0\t1,5\tC\n")
    with pytest.raises(DataError, match=r"help: decimal ,$"):
        kt.score("chords", str(path), str(path))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--format", "csv", "--digits", "3"), "--digits is for tables; --format csv has every score"),
        (("--format", "json", "--show", "MajMin"), "--show is for tables; --format json has every score"),
        (("--format", "csv", "--value-only"), "--value-only prints bare numbers, and --format csv does not"),
    ],
)
def test_options_of_tables_are_refused_where_there_are_none(
    terminal: Terminal, options: tuple[str, ...], message: str
) -> None:
    terminal.write(ref={"a.lab": "0 2 C"}, est={"a.lab": "0 2 C"})
    result = terminal.run("score", "chords", "ref", "est", *options)
    assert (result.code, message in result.err) == (2, True)
    if "--value-only" not in options:
        assert message in terminal.run("compare", "chords", "ref", "est", "b=est", *options).err
        assert message in terminal.run("agree", "chords", "ref", "est", *options).err


def test_shares_may_be_written_in_per_cent(terminal: Terminal) -> None:
    terminal.write(ref={"a.lab": "0 2 C", "b.lab": "0 2 C"}, est={"a.lab": "0 2 C", "b.lab": "0 2 G"})
    score = ("score", "chords", "ref", "est")
    texts = [terminal.run(*score, "--ci", level, "--quiet").out for level in ("90%", "0.9")]
    assert texts[0] == texts[1]
    assert "(90 % CI" in texts[0]
    refused = terminal.run("score", "chords", "ref", "est", "--ci", "high")
    assert refused.lines == [
        "error: invalid value `high` for --ci",
        "  help: a number, or per cent: 0.95 or 95%",
    ]
    assert terminal.run("fuse", "chords", "ref", "est", "--least-support", "70%", "--out", "x").code == 0


def test_systems_that_only_one_run_has_are_not_called_unchanged(terminal: Terminal) -> None:
    terminal.write(ref={"a.lab": "0 2 C"}, one={"a.lab": "0 2 C"}, two={"a.lab": "0 2 G"})
    assert terminal.run("score", "chords", "ref", "one", "two", "--out", "a").code == 0
    assert terminal.run("score", "chords", "ref", "one", "new=two", "--out", "b").code == 0
    assert terminal.run("diff", "a", "b", "--quiet").out == "nothing changed of what both runs have\n"


def test_a_pack_is_named_where_it_is_read(terminal: Terminal) -> None:
    terminal.write(ref={"a.lab": "0 2 C"}, est={"a.lab": "0 2 C"})
    result = terminal.run("pack", "chords", "Ann=ref", "ref.parquet")
    assert result.lines[0] == "error: a pack has the name of its file, or that of NAME=PACK where it is read"
    assert terminal.run("pack", "chords", "ref", "ref.parquet").code == 0
    assert terminal.run("score", "chords", "Ann=ref.parquet", "est", "--annotator", "Ann").code == 0


def test_a_comparison_of_five_systems_has_40_lines(terminal: Terminal) -> None:
    systems = [f"s{number}" for number in range(5)]
    songs = [f"{song}.lab" for song in range(6)]
    estimates = {name: f"0 {1 + place} C|{1 + place} 6 G" for place, name in enumerate(systems)}
    terminal.write(
        ref=dict.fromkeys(songs, "0 6 C"),
        **{name: dict.fromkeys(songs, rows) for name, rows in estimates.items()},
    )
    shown = terminal.run("compare", "chords", "ref", *systems)
    assert shown.code == 0
    assert len(shown.out.splitlines()) <= 40
    assert shown.lines[-1] == "also: --protocol mir_eval,decibel, or all"
    assert "also:" not in terminal.run("compare", "chords", "ref", *systems, "--format", "md").err


def test_sums_of_a_class_table_have_no_more_digits_than_times(terminal: Terminal) -> None:
    terminal.write(ref={"a.lab": "0 0.1 C|0.1 0.3 G"}, est={"a.lab": "0 0.3 A"})
    out = terminal.run("score", "chords", "ref", "est", "--table", "confusion", "--format", "csv").out
    assert re.findall(r",(0\.[0-9]+)$", out, re.MULTILINE) == ["0.2", "0.1"]
