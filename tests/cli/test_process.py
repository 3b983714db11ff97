# SPDX-License-Identifier: MIT
"""What only shows in a process: signals, closed and full outputs, encodings, what is imported."""

import functools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kammerton
from cli.harness import Terminal
from kammerton.cli.output import Signals, StoppedError, check_stopped
from kammerton.cli.progress import watching
from kammerton.errors import DataError, Diagnostic
from kammerton.scoring.evaluating import score_part
from kammerton.scoring.merging import EvidenceMerger
from kammerton.scoring.running import Progress

posix = pytest.mark.skipif(os.name != "posix", reason="signals and devices of POSIX")
SCORE = ("score", "chords", "ref", "est")
TABLES = {"rich.table"} if version("rich") >= "15" else set()
"""What draws tables; before version 15 rich itself imports it for whatever is printed."""


def finished(process: subprocess.Popen[bytes]) -> tuple[int, str, str]:
    out, err = process.communicate()
    return process.returncode, (out or b"").decode(), (err or b"").decode()


@pytest.mark.slow
@posix
@pytest.mark.parametrize("arguments", [(*SCORE, "--format", "json"), ("--help",), ("measures",)])
def test_closed_standard_output_is_quiet(corpus: Terminal, arguments: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    process = corpus.start(*arguments, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    code, _, err = finished(process)
    assert code == 141
    assert "Traceback" not in err
    assert "BrokenPipe" not in err
    assert "Exception ignored" not in err


@pytest.mark.slow
@posix
@pytest.mark.parametrize("arguments", [SCORE, ("--help",), ("check", "chords", "ref", "--format", "json")])
def test_full_standard_output_is_exit_code_5(corpus: Terminal, arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        code, _, err = finished(corpus.start(*arguments, stdout=full, stderr=subprocess.PIPE))
    assert code == 5
    assert "error[KT502] cannot write standard output: no space left on device\n" in err
    assert "Traceback" not in err
    assert "Exception ignored" not in err


@posix
@pytest.mark.parametrize("option", ["--output", "--per-item"])
def test_full_disk_is_exit_code_5(corpus: Terminal, option: str) -> None:
    (corpus.folder / "full.csv").symlink_to("/dev/full")
    result = corpus.run(*SCORE, option, "full.csv")
    assert result.code == 5
    assert "error[KT502] cannot write `full.csv`: no space left on device" in result.err


def test_failed_write_leaves_what_was_there(corpus: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    (corpus.folder / "scores.json").write_text("old")
    before = corpus.left()

    def no_space(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    result = corpus.run(*SCORE, "--format", "json", "--output", "scores.json")
    assert result.code == 5
    assert "note: the earlier `scores.json` was left as it was" in result.err
    assert Path("scores.json").read_text() == "old"
    assert corpus.left() == before


@posix
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_interrupted_while_writing(corpus: Terminal, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The signal comes when the file is written but not yet in place."""
    (corpus.folder / "scores.json").write_text("old")
    before = corpus.left()
    number = getattr(signal, name)
    monkeypatch.setattr(os, "fsync", lambda _: os.kill(os.getpid(), number))
    result = corpus.run(*SCORE, "--format", "json", "--output", "scores.json")
    assert result.code == 128 + number
    assert result.lines[-1] == f"stopped by {name}"
    assert Path("scores.json").read_text() == "old"
    assert corpus.left() == before


@pytest.mark.slow
@posix
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_signals_end_the_process_with_their_code(corpus: Terminal, name: str) -> None:
    # a named pipe stands still when it is opened for writing: the process waits there for its reader
    os.mkfifo(corpus.folder / "pipe")
    process = corpus.start(*SCORE, "--output", "pipe", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stderr is not None
    while not process.stderr.readline().startswith(b"warning[KT208]"):
        assert process.poll() is None
    time.sleep(0.2)
    process.send_signal(getattr(signal, name))
    code, _, err = finished(process)
    assert code == 128 + getattr(signal, name)
    assert err == f"stopped by {name}\n"


class Signalled:
    """A sequence, and a number, that sends a signal when it is looked at."""

    def __init__(self, name: str) -> None:
        self._number = getattr(signal, name)

    def __len__(self) -> int:
        return self.__index__()

    def __index__(self) -> int:
        os.kill(os.getpid(), self._number)
        return 1

    def __getitem__(self, _: int) -> object:
        return self


def lost_as_an_error(name: str) -> None:
    """Receive a signal where NumPy makes an IndexError of whatever it raises."""
    np.arange(3)[Signalled(name)]


def lost_as_bad_data(name: str) -> None:
    try:
        lost_as_an_error(name)
    except IndexError as error:
        raise DataError([Diagnostic(code="KT200", severity="error", message="bad data")]) from error


def lost_for_good(name: str) -> None:
    """Receive a signal where NumPy goes on, whatever it raises."""
    assert np.array(Signalled(name), dtype=object).shape == ()


@posix
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("lost", [lost_as_an_error, lost_as_bad_data, lost_for_good])
def test_signals_stop_the_program_whatever_becomes_of_what_they_raise(
    corpus: Terminal, monkeypatch: pytest.MonkeyPatch, name: str, lost: Callable[[str], None]
) -> None:
    def stopped(*arguments: Any, **options: Any) -> object:
        lost(name)
        return score_part(*arguments, **options)

    with monkeypatch.context() as patched:
        patched.setattr("kammerton.scoring.running.score_part", stopped)
        for arguments in (SCORE, (*SCORE, "--out", "run"), ("compare", "chords", "ref", "est", "B=est")):
            result = corpus.run(*arguments)
            assert (result.code, result.out) == (128 + getattr(signal, name), "")
            assert result.lines[-1] == f"stopped by {name}"
            assert "internal error" not in result.err
            assert not (corpus.folder / "run").exists()
    assert corpus.run(*SCORE).code == 0  # of an earlier call nothing is left


@posix
@pytest.mark.parametrize("lost", [lost_as_bad_data, lost_for_good])
def test_what_is_finished_is_kept_if_a_signal_is_lost_behind_the_last_shard(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, lost: Callable[[str], None]
) -> None:
    terminal.write(ref={f"{number}.lab": "0 1 C" for number in range(201)}, est={"1.lab": "0 1 C"})
    evidence = EvidenceMerger.evidence

    def stopped(self: EvidenceMerger, *arguments: Any) -> object:
        lost("SIGTERM")
        return evidence(self, *arguments)

    command = (*SCORE, "--out", "run", "--shard-size", "200", "--measure", "mirex2013/Root", "--no-ci")
    with monkeypatch.context() as patched:
        patched.setattr(EvidenceMerger, "evidence", stopped)
        result = terminal.run(*command)
    assert (result.code, result.out) == (143, "")
    told = f"2 finished shards are kept; resume with: kammerton {' '.join(command)}"
    assert result.lines[-2:] == ["stopped by SIGTERM", f"  help: {told}"]
    assert sorted(path.name for path in terminal.folder.iterdir()) == [".run.shards", "est", "ref"]
    assert terminal.run(*command).code == 1
    assert sorted(path.name for path in terminal.folder.iterdir()) == ["est", "ref", "run"]


@posix
def test_a_signal_that_was_lost_stops_at_the_next_shard(corpus: Terminal) -> None:
    assert corpus.folder.is_dir()
    with Signals() as signals, watching(quiet=True) as watch:
        watch(Progress(done=1, items=9, found=0, failed=0))
        lost_for_good("SIGTERM")
        assert signals.number == signal.SIGTERM
        with pytest.raises(StoppedError):
            watch(Progress(done=2, items=9, found=0, failed=0))
    check_stopped()  # nobody looks out for it any more


@posix
def test_an_ignored_hangup_stays_ignored(corpus: Terminal) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        corpus.run("--version")
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_ascii_output_is_escaped_and_aligned(corpus: Terminal) -> None:
    arguments = ("score", "chords", "ref", "Café=est", "--measure", "mirex2013/MajMin")
    process = corpus.start(
        *arguments, env={"PYTHONIOENCODING": "ascii"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    code, out, err = finished(process)
    assert code == 0
    assert err.isascii()
    head, row = out.splitlines()[2:4]
    assert row.startswith(r"Caf\xe9 ")
    assert head.index("MajMin") == row.index("75.0")


@pytest.mark.slow
def test_data_are_utf8_whatever_the_locale_says(corpus: Terminal) -> None:
    arguments = ("score", "chords", "ref", "Café=est", "--format", "csv")
    process = corpus.start(*arguments, env={"PYTHONIOENCODING": "ascii"}, stdout=subprocess.PIPE)
    assert "\nCafé,ref," in finished(process)[1]


def test_closed_standard_error_is_no_reason_to_fail(
    corpus: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert corpus.run(*SCORE).code == 0


def test_closed_standard_output_is_exit_code_5(corpus: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert corpus.run(*SCORE).code == 5


def test_a_bug_is_one_line_and_a_report(
    corpus: Terminal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a\x1b[31mb")

    monkeypatch.setattr("kammerton.score", functools.wraps(kammerton.score)(fail))
    monkeypatch.setattr("tempfile.tempdir", str(corpus.folder))
    result = corpus.run(*SCORE)
    assert (result.code, result.out) == (4, "")
    (report,) = tmp_path.glob("kammerton-crash-*.txt")
    assert (
        result.err == rf"internal error: ZeroDivisionError: a\x1b[31mb; a crash report is in {report}" + "\n"
    )
    assert "Traceback" in report.read_text()


@pytest.mark.parametrize(("said", "code"), [("__POLARS_ABORT_KEYBOARD_INTERRUPT", 130), ("", None)])
def test_a_panic_is_an_interrupt_only_where_it_says_so(
    corpus: Terminal, monkeypatch: pytest.MonkeyPatch, said: str, code: int | None
) -> None:
    class Panic(BaseException):
        pass

    def fail(*_: object, **__: object) -> None:
        raise Panic(said)

    monkeypatch.setattr("kammerton.score", functools.wraps(kammerton.score)(fail))
    if code is None:
        with pytest.raises(Panic):
            corpus.run(*SCORE)
    else:
        result = corpus.run(*SCORE)
        assert (result.code, result.out) == (code, "")
        assert result.err.startswith("stopped by SIGINT\n")


@posix
def test_an_interrupt_of_code_that_is_a_string_has_the_same_exit_code(corpus: Terminal) -> None:
    """As scipy runs while it is imported."""
    code = f"""
import functools, sys, kammerton
from kammerton.cli import main
text = "import os, time; os.kill(os.getpid(), {int(signal.SIGINT)}); time.sleep(10)"
kammerton.score = functools.wraps(kammerton.score)(lambda *_, **__: exec(text))
sys.exit(main({SCORE!r}))
"""
    (corpus.folder / "interrupted.py").write_text(code)
    command = [sys.executable, "-m", "interrupted"]
    done = subprocess.run(command, cwd=corpus.folder, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (130, b"stopped by SIGINT\n")


def modules_after(code: str) -> set[str]:
    printed = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules, file=sys.stderr)"],
        capture_output=True,
        check=True,
        text=True,
    )
    return set(printed.stderr.split())


@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("import kammerton", {"numpy", "polars", "scipy", "rich", "cyclopts", "kammerton.chords"}),
        ("import kammerton; kammerton.score; kammerton.chords", {"polars", "scipy", "rich", "cyclopts"}),
        (
            "from kammerton.cli import main; main(['--help'])",
            {"numpy", "polars", "scipy", *TABLES, "kammerton.chords", "kammerton.cli.scoring"},
        ),
        (
            "from kammerton.cli import main; main(['score', '--help'])",
            {"numpy", "polars", "scipy", *TABLES, "kammerton.chords"},
        ),
        (
            "from kammerton.cli import main; main(['explain'])",
            {"numpy", "polars", "scipy", *TABLES, "kammerton.chords"},
        ),
    ],
)
def test_nothing_is_imported_that_is_not_needed(code: str, unwanted: set[str]) -> None:
    assert not modules_after(code) & unwanted


@pytest.mark.slow
def test_scoring_needs_no_data_frames_and_of_scipy_the_quantiles_of_intervals_alone(corpus: Terminal) -> None:
    code = f"from kammerton.cli import main; assert main({SCORE!r}) == 0"
    assert not modules_after(code) & {"polars", "scipy.stats", *TABLES}
    code = f"from kammerton.cli import main; assert main([*{SCORE!r}, '--no-ci']) == 0"
    assert not modules_after(code) & {"polars", "scipy", *TABLES}
