# SPDX-License-Identifier: MIT
"""Fixtures of the command line's tests."""

from pathlib import Path

import pytest

from cli.harness import Terminal


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    """An empty folder to work in, a window of 80 columns without colours."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    return Terminal(tmp_path, capsys)


@pytest.fixture
def corpus(terminal: Terminal) -> Terminal:
    """Two songs and the estimates of one system.

    ``one``: C 0-2, G:7 2-4 against C 0-3, G 3-4. MajMin takes G:7 for G: right are 0-2 and 3-4, 3 of
    4 s. Sevenths wants G:7: right is 0-2, 2 of 4 s. ``two``: a diminished chord, which MajMin and
    Sevenths leave out (2 of 6 s), right for Root. So Root is 5/6, MajMin 3/4, Sevenths 2/4.
    """
    terminal.write(
        ref={"one.lab": "0 2 C|2 4 G:7", "two.lab": "0 2 D:dim"},
        est={"one.lab": "0 3 C|3 4 G", "two.lab": "0 2 D:dim"},
    )
    return terminal


@pytest.fixture
def systems(terminal: Terminal) -> Terminal:
    """Six songs of 4 s: `good` has 3 s of each right, `fair` 2 s, `poor` 1 s."""
    songs = [f"{name}.lab" for name in "abcdef"]
    terminal.write(
        ref=dict.fromkeys(songs, "0 4 C"),
        good=dict.fromkeys(songs, "0 3 C|3 4 G"),
        fair=dict.fromkeys(songs, "0 2 C|2 4 G"),
        poor=dict.fromkeys(songs, "0 1 C|1 4 G"),
    )
    return terminal
