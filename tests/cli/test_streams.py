# SPDX-License-Identifier: MIT
"""Where words go when a stream is odd."""

import io
import os
import sys
import threading

import pytest

from cli.harness import Terminal
from kammerton.cli import main
from kammerton.cli.output import ReaderGoneError, print_message, style_of, write_output
from kammerton.errors import OutputError


class Stream(io.TextIOWrapper):
    """A stream that fails as it is told, and may be a screen."""

    def __init__(self, error: Exception | None = None, *, screen: bool = False) -> None:
        self._bytes = io.BytesIO()
        super().__init__(self._bytes, encoding="utf-8")
        self._error = error
        self._screen = screen

    def flush(self) -> None:
        if self._error is not None:
            raise self._error
        super().flush()

    def isatty(self) -> bool:
        return self._screen

    def fileno(self) -> int:
        raise io.UnsupportedOperation("fileno")

    def printed(self) -> str:
        self.flush()
        return self._bytes.getvalue().decode()

    def close(self) -> None:
        self._error = None
        super().close()


def test_reader_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Stream(BrokenPipeError()))
    with pytest.raises(ReaderGoneError):
        write_output("x\n")
    assert main(["--version"]) == 141


@pytest.mark.parametrize(
    ("error", "said"),
    [(OSError(28, "No space left on device"), "no space left on device"), (ValueError("closed"), "closed")],
)
def test_output_that_fails(monkeypatch: pytest.MonkeyPatch, error: Exception, said: str) -> None:
    monkeypatch.setattr(sys, "stdout", Stream(error))
    with pytest.raises(OutputError, match=f"KT502 cannot write standard output: {said}"):
        write_output("x\n")


def test_screens_get_no_controls_from_data(monkeypatch: pytest.MonkeyPatch) -> None:
    for screen, printed in ((True, "a\\x1b[2J\n"), (False, "a\x1b[2J\n")):
        stream = Stream(screen=screen)
        monkeypatch.setattr(sys, "stdout", stream)
        write_output("a\x1b[2J\n", is_data=True)
        assert stream.printed() == printed


def test_streams_without_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    write_output("é\n")
    assert stream.getvalue() == "é\n"


def test_talk_nobody_hears(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Stream(BrokenPipeError()))
    print_message("x")


@pytest.mark.parametrize(
    ("told", "width"), [("33", 33), ("0", 80), ("-1", 80), ("x", 80), ("", 80), ("³", 80)]
)
def test_width_without_a_screen(monkeypatch: pytest.MonkeyPatch, told: str, width: int) -> None:
    monkeypatch.setenv("COLUMNS", told)
    assert style_of(Stream()).width == width
    assert style_of(None).width == width


def test_width_of_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(Stream, "fileno", lambda _: 1)
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((123, 40)))
    assert style_of(Stream(screen=True)).width == 123
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((0, 0)))
    assert style_of(Stream(screen=True)).width == 80


def test_a_closed_stream_is_no_screen() -> None:
    stream = io.StringIO()
    stream.close()
    assert not style_of(stream).colour


def test_an_interrupt_while_the_program_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(name: str, *_: object) -> object:
        raise KeyboardInterrupt(name)

    monkeypatch.delitem(sys.modules, "kammerton.cli.program")
    monkeypatch.setattr("builtins.__import__", interrupt)
    assert main(["--version"]) == 130


def test_other_threads_leave_signals_alone(terminal: Terminal) -> None:
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(main(["--version"])))
    thread.start()
    thread.join()
    assert codes == [0]


def test_a_crash_report_that_cannot_be_written(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kammerton.cli.lookup.pages", lambda: 1 / 0)
    monkeypatch.setattr("tempfile.mkstemp", lambda **_: (_ for _ in ()).throw(OSError()))
    result = terminal.run("explain")
    assert (result.code, result.err) == (4, "internal error: ZeroDivisionError: division by zero\n")
