# SPDX-License-Identifier: MIT
"""Runs that are killed, interrupted, locked out, or lose their disk, and are then run again."""

import contextlib
import errno
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from kammerton.cli import main
from kammerton.runs.layout import RECORD
from kammerton.scoring.evaluating import score_part
from run_folders import files_of_run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="signals of POSIX"),
]

COMMAND = (
    "score",
    "chords",
    "ref",
    "est",
    "--out",
    "run",
    "--shard-size",
    "200",
    "--format",
    "json",
    "--no-ci",
)
SONGS = 1000

STOPPING = """
import os, sys
from kammerton.cli import main

event, place, number, signal = {moment!r}
left = int(number)

def watch(name, arguments):
    global left
    if name == event and place in str(arguments[0]):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal)

sys.addaudithook(watch)
sys.exit(main())
"""
"""The program, which sends itself a signal when it does something with a place for the so-manieth time."""


@pytest.fixture(scope="module")
def songs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of songs, in a fixed order of nothing."""
    folder = tmp_path_factory.mktemp("songs")
    rng = random.Random(9)
    for side in ("ref", "est"):
        (folder / side).mkdir()
        for number in range(SONGS):
            labels = [rng.choice(["C", "G:7", "A:min", "N"]) for _ in range(10)]
            rows = "".join(
                f"{at} {at + 1}.5\t{label}\n" for at, label in zip(range(0, 30, 3), labels, strict=True)
            )
            (folder / side / f"{number:04}.lab").write_text(rows, encoding="utf-8")
    return folder


@pytest.fixture
def folder(songs: Path, tmp_path: Path) -> Path:
    for side in ("ref", "est"):
        (tmp_path / side).symlink_to(songs / side)
    return tmp_path


@pytest.fixture(scope="module")
def undisturbed(songs: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, dict[str, bytes]]:
    folder = tmp_path_factory.mktemp("undisturbed")
    for side in ("ref", "est"):
        (folder / side).symlink_to(songs / side)
    code, out, _ = ended(started(folder))
    assert code == 0
    return out, files_of_run(folder / "run")


def started(folder: Path, *more: str, command: Sequence[str] = COMMAND) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "kammerton", *command, *more]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def stopping(
    folder: Path, *more: str, number: int, event: str = "os.rename", place: str = ".run.shards", by: int
) -> subprocess.Popen[bytes]:
    """Start the program; without other choices it has finished ``number - 1`` shards when it stops itself."""
    program = STOPPING.format(moment=(event, place, number, int(by)))
    command = [sys.executable, "-c", program, *COMMAND, *more]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def held(folder: Path, *more: str) -> subprocess.Popen[bytes]:
    """Return the program, which stands still after its first shard."""
    process = stopping(folder, *more, number=2, by=signal.SIGSTOP)
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    assert len(kept(folder)) == 1
    return process


def test_how_it_was_done_does_not_show(
    folder: Path, undisturbed: tuple[bytes, dict[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"PYTHONHASHSEED": "7", "LC_ALL": "C", "TZ": "Asia/Kolkata", "LANG": "C"}.items():
        monkeypatch.setenv(name, value)
    larger = [word if word != "200" else "400" for word in COMMAND]
    assert ended(started(folder, "--jobs", "2", command=larger))[:2] == (0, undisturbed[0])
    assert files_of_run(folder / "run") == undisturbed[1]


def ended(process: subprocess.Popen[bytes]) -> tuple[int, bytes, str]:
    out, err = process.communicate()
    return process.returncode, out, err.decode()


def kept(folder: Path) -> dict[str, int]:
    """Return what is finished, and when it was written."""
    return {path.name: path.stat().st_mtime_ns for path in (folder / ".run.shards").glob("*.part")}


MOMENTS = [
    ("os.mkdir", ".run.shards", 1),
    ("open", ".lab", 1),
    ("open", ".run.shards", 3),
    ("os.rename", ".run.shards", 1),
    ("open", ".lab", 500),
    ("os.rename", ".run.shards", 2),
    ("open", ".lab", 900),
    ("os.rename", ".run.shards", 3),
    ("open", ".lab", 50),
    ("os.rename", ".run.shards", 2),
]
"""What the program does, with what, and for which time, when it is killed."""


def test_killed_at_ten_moments(folder: Path, undisturbed: tuple[bytes, dict[str, bytes]]) -> None:
    finished: dict[str, int] = {}
    for kill, (event, place, number) in enumerate(MOMENTS):
        jobs = "2" if kill in (3, 8) else "1"
        process = stopping(folder, "--jobs", jobs, event=event, place=place, number=number, by=signal.SIGKILL)
        assert ended(process)[0] == -signal.SIGKILL
        now = kept(folder)
        assert finished.items() <= now.items()  # what was finished is not done again
        finished = now
        assert not (folder / "run").exists()
    assert ended(started(folder))[:2] == (0, undisturbed[0])
    assert files_of_run(folder / "run") == undisturbed[1]
    assert {path.name for path in folder.iterdir()} == {"ref", "est", "run"}


def test_killed_while_the_run_is_written(folder: Path, undisturbed: tuple[bytes, dict[str, bytes]]) -> None:
    """What is left of it goes with the next who writes the run, and nothing else."""
    (folder / ".run.mine.tmp").mkdir()
    for left in (1, 1):
        process = stopping(folder, number=1, event="open", place=f".tmp/new/{RECORD}", by=signal.SIGKILL)
        assert ended(process)[0] == -signal.SIGKILL
        assert len(list(folder.glob(".run.????????.tmp"))) == left
    assert ended(started(folder))[:2] == (0, undisturbed[0])
    assert files_of_run(folder / "run") == undisturbed[1]
    assert {path.name for path in folder.iterdir()} == {"ref", "est", "run", ".run.mine.tmp"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_interrupted(
    folder: Path, undisturbed: tuple[bytes, dict[str, bytes]], number: int, jobs: str
) -> None:
    process = held(folder, "--jobs", jobs)
    process.send_signal(number)
    process.send_signal(signal.SIGCONT)
    code, out, err = ended(process)
    assert (code, out) == (128 + number, b"")
    assert "Traceback" not in err
    assert "finished shard" in err
    command = f"kammerton {' '.join(COMMAND)} --jobs {jobs}"
    assert f"kept; resume with: {command}\n" in err
    assert ended(started(folder))[:2] == (0, undisturbed[0])
    assert files_of_run(folder / "run") == undisturbed[1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_where_what_the_signal_raises_is_lost(
    folder: Path,
    undisturbed: tuple[bytes, dict[str, bytes]],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    number: int,
) -> None:
    """As in code in C, which raises something else, and somebody takes that for a part that is torn."""
    monkeypatch.chdir(folder)
    calls = iter(range(9))

    def lost(*arguments: Any, **options: Any) -> Any:
        if next(calls) == 2:
            with contextlib.suppress(BaseException):
                os.kill(os.getpid(), number)
        return score_part(*arguments, **options)

    with monkeypatch.context() as patched:
        patched.setattr("kammerton.scoring.running.score_part", lost)
        assert main(COMMAND) == 128 + number
    captured = capfd.readouterr()
    assert captured.out == ""
    assert (
        f"stopped by {signal.Signals(number).name}\n  help: 3 finished shards are kept; resume with: "
        in captured.err
    )
    assert len(kept(folder)) == 3
    assert ended(started(folder))[:2] == (0, undisturbed[0])
    assert files_of_run(folder / "run") == undisturbed[1]


def test_two_processes_on_one_run(folder: Path, undisturbed: tuple[bytes, dict[str, bytes]]) -> None:
    first = held(folder)
    code, out, err = ended(started(folder))
    first.send_signal(signal.SIGCONT)
    assert (code, out) == (5, b"")
    assert f"error[KT504] cannot write `run`: locked by pid {first.pid} on " in err
    assert ended(first)[:2] == (0, undisturbed[0])
    assert files_of_run(folder / "run") == undisturbed[1]


def test_a_truncated_shard(folder: Path, undisturbed: tuple[bytes, dict[str, bytes]]) -> None:
    process = stopping(folder, number=3, by=signal.SIGKILL)
    assert ended(process)[0] == -signal.SIGKILL
    torn = next((folder / ".run.shards").glob("*.part"))
    torn.write_bytes(torn.read_bytes()[:1000])
    assert ended(started(folder))[:2] == (0, undisturbed[0])
    assert files_of_run(folder / "run") == undisturbed[1]


def test_an_input_that_changes_in_between(folder: Path, songs: Path) -> None:
    (folder / "est").unlink()
    (folder / "est").mkdir()
    for path in (songs / "est").iterdir():
        (folder / "est" / path.name).write_bytes(path.read_bytes())
    process = stopping(folder, number=3, by=signal.SIGKILL)
    assert ended(process)[0] == -signal.SIGKILL
    (folder / "est" / "0000.lab").write_text("0 30 N\n", encoding="utf-8")
    code, out, _ = ended(started(folder))
    (folder / "run").rename(folder / "resumed")
    assert ended(started(folder))[:2] == (code, out)
    resumed = files_of_run(folder / "resumed")
    assert files_of_run(folder / "run") == resumed


@pytest.mark.parametrize("shards", [0, 1, 4])
def test_a_full_disk(
    folder: Path,
    undisturbed: tuple[bytes, dict[str, bytes]],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    shards: int,
) -> None:
    monkeypatch.chdir(folder)
    fsync = os.fsync

    def full(descriptor: int) -> None:
        if len(kept(folder)) >= shards:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(descriptor)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        assert main(COMMAND) == 5
    captured = capfd.readouterr()
    assert captured.out == ""
    assert "error[KT502] cannot write" in captured.err
    assert "no space left on device" in captured.err
    assert not (folder / "run").exists()
    assert len(kept(folder)) == shards
    assert ended(started(folder))[:2] == (0, undisturbed[0])
    assert files_of_run(folder / "run") == undisturbed[1]


def test_an_unreadable_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    scan = os.scandir

    def scandir(path: Any) -> Iterator[os.DirEntry[str]]:
        if isinstance(path, str | Path) and Path(path).name == "est":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert main(COMMAND) in (2, 3)
    captured = capfd.readouterr()
    assert "permission denied" in captured.err
    assert "Traceback" not in captured.err
    assert {path.name for path in folder.iterdir()} == {"ref", "est"}


def test_workers_end_with_who_started_them(tmp_path: Path) -> None:
    note = tmp_path / "worker"
    script = tmp_path / "script.py"
    script.write_text(
        "from unit.scoring.words import corpus_of, order\n"
        "from kammerton.scoring.running import Execution, score_corpus\n"
        "if __name__ == '__main__':\n"
        f"    sleeper = ('worker', 'sleep', {str(note)!r})\n"
        "    score_corpus(order(), corpus_of({450: sleeper}), Execution(size=200, jobs=2))\n",
        encoding="utf-8",
    )
    tests = str(Path(__file__).parents[1])
    process = subprocess.Popen(
        [sys.executable, script], env={**os.environ, "PYTHONPATH": tests}, stderr=subprocess.DEVNULL
    )
    while not note.exists() or not note.read_text(encoding="utf-8"):
        assert process.poll() is None
        time.sleep(0.01)
    worker = int(note.read_text(encoding="utf-8"))
    process.kill()
    process.wait()
    while _is_alive(worker):  # it would sleep for hours
        time.sleep(0.01)


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
