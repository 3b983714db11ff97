# SPDX-License-Identifier: MIT
"""Reports of scores, and of runs."""

import builtins
from pathlib import Path
from typing import Any

import pytest

import kammerton as kt

REFERENCE = {
    "one": ([(0, 2), (2, 4)], ["C", "G:7"]),
    "two": ([(0, 3), (3, 6)], ["A:min", "F"]),
}
GOOD = {
    "one": ([(0, 3), (3, 4)], ["C", "G"]),
    "two": ([(0, 3), (3, 6)], ["A:min", "F"]),
}
POOR = {
    "one": ([(0, 4)], ["D"]),
    "two": ([(0, 6)], ["A:min"]),
}


def scored(**systems: Any) -> kt.Scores:
    return kt.score("chords", REFERENCE, systems, protocols=["mirex2013"])


def test_a_run_gives_the_page_of_its_scores(tmp_path: Path) -> None:
    scores = scored(good=GOOD, poor=POOR)
    kt.write_run(scores, tmp_path / "run")
    kt.report(scores, tmp_path / "a.html")
    kt.report(tmp_path / "run", tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_a_report_needs_a_run(tmp_path: Path) -> None:
    with pytest.raises(kt.OptionError, match="a report needs a run"):
        kt.report([], tmp_path / "a.html")
    with pytest.raises(kt.OptionError, match="runs must be scores"):
        kt.report(7, tmp_path / "a.html")  # type: ignore[arg-type]


def test_a_folder_stays_a_folder(tmp_path: Path) -> None:
    with pytest.raises(kt.OutputError, match="KT501"):
        kt.report(scored(good=GOOD), tmp_path)


@pytest.mark.parametrize("missing", ["altair", "vl_convert"])
def test_what_is_not_installed_is_named(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:
        if name == missing:
            raise ImportError(name)
        return imported(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(kt.OptionError, match=r"pip install 'kammerton\[report\]'"):
        kt.report(scored(good=GOOD), tmp_path / "a.html")
