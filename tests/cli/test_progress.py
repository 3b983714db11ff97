# SPDX-License-Identifier: MIT
"""How far a run is: a line now and then, a bar on a terminal, nothing if nobody wants to know."""

import io
import sys

import pytest

from kammerton.cli.progress import line_of, line_of_phases, phases, watching
from kammerton.scoring.evaluating import Timing
from kammerton.scoring.running import Progress


@pytest.mark.parametrize(
    ("progress", "seconds", "line"),
    [
        (Progress(200, 1000, 0, 0), 2.0, "200 of 1,000 items, 100/s, 0:08 left"),
        (Progress(200, 1000, 0, 3), 2.0, "200 of 1,000 items, 100/s, 3 failed, 0:08 left"),
        (Progress(1200, 801_200, 1000, 0), 2.0, "1,200 of 801,200 items, 100/s, 2:13:20 left"),
        (Progress(400, 1000, 400, 0), 2.0, "400 of 1,000 items"),
        (Progress(200, 1000, 0, 0), 0.0, "200 of 1,000 items"),
    ],
)
def test_a_line_tells_what_is_known(progress: Progress, seconds: float, line: str) -> None:
    assert line_of(progress, seconds) == line


def test_where_all_was_finished_before_there_is_no_rate() -> None:
    timing = Timing()
    timing.seconds |= {"scoring": 0.2, "writing": 1.0}
    timing.found = 5
    assert line_of_phases(timing) == "took 1.2 s: scoring 0.2, writing 1.0"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr("kammerton.cli.progress.time.monotonic", lambda: now[0])
    return now


def test_a_line_is_said_every_half_minute(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with watching(quiet=False) as watch:
        assert watch is not None
        for seconds, done in ((10, 1000), (30, 3000), (59, 5900), (61, 6100), (100, 10_000)):
            clock[0] = seconds
            watch(Progress(done, 10_000, 0, 0))
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        "3,000 of 10,000 items, 100/s, 1:10 left",
        "6,100 of 10,000 items, 100/s, 0:39 left",
    ]


def test_what_is_done_is_said_if_it_was_long_since_the_last_line(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with phases(quiet=False) as tell:
        assert tell is not None
        for seconds, text in (
            (0, "reading"),
            (29, "comparing"),
            (31, "drawing"),
            (60, "writing"),
            (61, "done"),
        ):
            clock[0] = seconds
            tell(text)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == ["drawing", "done"]


def test_nothing_is_said_to_the_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with watching(quiet=True) as watch, phases(quiet=True) as tell:
        assert tell is None
        watch(Progress(done=1, items=9, found=0, failed=0))
    assert capsys.readouterr() == ("", "")


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_is_drawn_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with watching(quiet=False) as watch:
        assert watch is not None
        watch(Progress(2000, 6000, 0, 1))
        watch(Progress(6000, 6000, 0, 1))
    assert "6,000 of 6,000 items" in screen.getvalue()
    assert "1 failed" in screen.getvalue()


def test_what_is_done_is_shown_on_a_terminal_and_gone_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with phases(quiet=False) as tell:
        assert tell is not None
        tell("Chords: [bold]comparing")
    shown, behind = screen.getvalue().rsplit("[bold]comparing", 1)
    assert "Chords: " in shown
    assert "\x1b[2K" in behind  # the line is erased
    assert screen.getvalue().isascii()  # other characters are not in every encoding


def test_no_bar_is_drawn_of_what_takes_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    with watching(quiet=False) as watch:
        assert watch is not None
        watch(Progress(4, 4, 0, 0))
    assert screen.getvalue() == ""
