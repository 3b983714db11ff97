# SPDX-License-Identifier: MIT
"""Writing files; numbers in ids are rows of the table of bad inputs."""

import errno
import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kammerton.errors import OutputError
from kammerton.formats import write_atomically
from kammerton.formats.writing import clear_left, hold, replacing, replacing_folder, write_new

OLD, NEW = b"old\n", b"new\n" * 1000


def write_folder(path: str | os.PathLike[str], files: dict[str, bytes]) -> None:
    with replacing_folder(path) as folder:
        for name, data in files.items():
            write_new(folder / name, data)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "report.html"
    path.write_bytes(OLD)
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_writes_anew(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a b.html", NEW)
    assert (tmp_path / "a b.html").read_bytes() == NEW
    assert names(tmp_path) == ["a b.html"]


def test_replaces(target: Path) -> None:
    write_atomically(str(target), NEW)
    assert target.read_bytes() == NEW
    assert names(target.parent) == ["report.html"]


@pytest.fixture
def umask() -> Iterator[Callable[[int], int]]:
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_honours_the_umask(tmp_path: Path, umask: Callable[[int], int], mask: int, mode: int) -> None:
    umask(mask)
    write_atomically(tmp_path / "a", NEW)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == mode


def test_keeps_the_mode_of_what_it_replaces(target: Path) -> None:
    target.chmod(0o600)
    write_atomically(target, NEW)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_writes_where_a_link_leads(target: Path) -> None:
    link = target.with_name("link.html")
    link.symlink_to(target.name)
    write_atomically(link, NEW)
    assert link.is_symlink()
    assert target.read_bytes() == NEW


def test_needs_no_folders_that_can_be_synced(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kammerton.formats.writing._CAN_SYNC_FOLDERS", False)
    write_atomically(target, NEW)
    assert target.read_bytes() == NEW


def refused(path: Path) -> str:
    with pytest.raises(OutputError) as caught:
        write_atomically(path, NEW)
    return str(caught.value)


def test_97_a_folder_is_in_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("out").mkdir()
    assert refused(Path("out")) == "KT501 cannot write `out`: it is a folder"


def test_97_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert refused(Path("out/a.html")) == "KT501 cannot write `out/a.html`: folder `out` does not exist"


def test_97_a_file_instead_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("out").touch()
    assert refused(Path("out/a.html")) == "KT501 cannot write `out/a.html`: `out` is not a folder"


def test_97_folder_that_takes_no_files(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(target.parent)
    monkeypatch.setattr(Path, "mkdir", failing(PermissionError(errno.EACCES, "Permission denied")))
    assert refused(Path("report.html")) == (
        "KT502 cannot write `report.html`: permission denied\n"
        "  note: the earlier `report.html` was left as it was"
    )


def failing(error: BaseException) -> Callable[..., Any]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


STEPS = {"mode": (Path, "chmod"), "file reaches disk": (os, "fsync"), "replacement": (Path, "replace")}


@pytest.mark.parametrize("error", [OSError(errno.EIO, "Input/output error"), KeyboardInterrupt()], ids=repr)
@pytest.mark.parametrize(("owner", "step"), STEPS.values(), ids=STEPS)
def test_96_whatever_fails_the_old_file_stands(
    target: Path, monkeypatch: pytest.MonkeyPatch, owner: Any, step: str, error: BaseException
) -> None:
    monkeypatch.setattr(owner, step, failing(error))
    expected = OutputError if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(expected):
        write_atomically(target, NEW)
    assert target.read_bytes() == OLD
    assert names(target.parent) == ["report.html"]


@pytest.mark.parametrize(
    ("needed", "free", "shown"),
    [
        (12, 0, "needs 12 bytes, 0 bytes free"),
        (2_100_000, 400_000, "needs 2.1 MB, 400.0 kB free"),
        (3_000_000, 1_500_000_000, "needs 3.0 MB, 1.5 GB free"),
        (12, 5_000_000_000_000_000, "needs 12 bytes, 5000.0 TB free"),
    ],
)
def test_96_disk_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, needed: int, free: int, shown: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "fsync", failing(OSError(errno.ENOSPC, "No space left on device")))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(0, 0, free))
    with pytest.raises(OutputError) as caught:
        write_atomically("report.html", b"x" * needed)
    assert str(caught.value) == f"KT502 cannot write `report.html`: no space left on device ({shown})"
    assert names(tmp_path) == []


def test_96_device_full() -> None:
    assert refused(Path("/dev/full")).startswith(
        "KT502 cannot write `/dev/full`: no space left on device (needs"
    )
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


def test_devices_are_written_to() -> None:
    write_atomically("/dev/null", NEW)
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_96_write_fails_midway(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> None:
        path.symlink_to("/dev/full")
        with path.open("wb") as file:
            file.write(data)

    monkeypatch.setattr(Path, "write_bytes", full)
    assert "no space left on device (needs 4.0 kB, " in refused(target)
    assert target.read_bytes() == OLD
    assert names(target.parent) == ["report.html"]


FILES = {"a": b"1", "b": b"2" * 1000}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "run"
    path.mkdir()
    (path / "old").write_bytes(OLD)
    return path


def content(path: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in path.iterdir()}


def test_a_folder_is_written_anew(tmp_path: Path) -> None:
    write_folder(tmp_path / "run", FILES)
    assert content(tmp_path / "run") == FILES
    assert names(tmp_path) == ["run"]


def test_a_folder_is_replaced_whole(folder: Path) -> None:
    write_folder(str(folder), FILES)
    assert content(folder) == FILES
    assert names(folder.parent) == ["run"]


def test_a_folder_is_written_where_a_link_leads(folder: Path) -> None:
    (folder.parent / "link").symlink_to(folder)
    write_folder(folder.parent / "link", FILES)
    assert content(folder) == FILES
    assert (folder.parent / "link").is_symlink()


def test_files_and_folders_are_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    fsync = os.fsync

    def note(descriptor: int) -> None:
        synced.append(descriptor)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    write_folder(tmp_path / "run", FILES)
    assert len(synced) == 4


@pytest.mark.parametrize("error", [OSError(errno.EIO, "Input/output error"), KeyboardInterrupt()], ids=repr)
@pytest.mark.parametrize("at", [1, 2])
def test_whatever_fails_the_old_folder_stands(
    folder: Path, monkeypatch: pytest.MonkeyPatch, at: int, error: BaseException
) -> None:
    """Of the two renames the first takes the old folder away, the second puts the new one in place."""
    monkeypatch.chdir(folder.parent)
    rename, calls = Path.rename, iter(range(1, 9))

    def fail(self: Path, target: Path) -> Path:
        if next(calls) == at:
            raise error
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    expected = OutputError if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(expected) as caught:
        write_folder("run", FILES)
    if expected is OutputError:
        assert str(caught.value) == (
            "KT502 cannot write `run`: input/output error\n  note: the earlier `run` was left as it was"
        )
    assert content(folder) == {"old": OLD}
    assert names(folder.parent) == ["run"]


def test_a_file_that_fails_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "fsync", failing(OSError(errno.EIO, "Input/output error")))
    with pytest.raises(OutputError, match=r"KT502 cannot write `run`: input/output error$"):
        write_folder("run", FILES)
    assert names(tmp_path) == []


def test_a_folder_does_not_replace_a_file(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(target.parent)
    with pytest.raises(OutputError, match=r"KT501 cannot write `report.html`: it is no folder"):
        write_folder("report.html", FILES)
    with pytest.raises(OutputError, match="KT501 cannot write `no/run`: folder `no` does not exist"):
        write_folder("no/run", FILES)
    assert target.read_bytes() == OLD


# --- writers that were killed --------------------------------------------------------------

KILLED = """
import os, signal, sys
from kammerton.formats.writing import replacing, replacing_folder, write_atomically, write_new

write, event, number = {write!r}, {event!r}, {number}

def watch(name, arguments):
    global number
    if name == event and ".out." in str(arguments):
        number -= 1
        if number == 0:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(watch)
if write == "file":
    write_atomically("out", b"new")
elif write == "folder":
    with replacing_folder("out") as folder:
        write_new(folder / "a", b"1")
        write_new(folder / "b", b"2")
else:
    with replacing("out") as folder:
        (folder / "piece").write_bytes(b"1")
        (folder / "whole").write_bytes(b"new")
"""
needs_locks = pytest.mark.skipif(os.name != "posix", reason="locks of POSIX")


def killed(folder: Path, write: str, event: str, number: int) -> list[str]:
    """Return what is there after a writer of ``out`` has killed itself."""
    program = KILLED.format(write=write, event=event, number=number)
    assert (
        subprocess.run([sys.executable, "-c", program], cwd=folder, check=False).returncode == -signal.SIGKILL
    )
    return names(folder)


@needs_locks
def test_what_a_killed_writer_of_a_file_has_left_is_removed_by_the_next(tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(OLD)
    assert len(killed(tmp_path, "file", "os.rename", 1)) == 2
    assert len(killed(tmp_path, "file", "os.rename", 1)) == 2  # the second has removed what the first left
    assert (tmp_path / "out").read_bytes() == OLD
    write_atomically(tmp_path / "out", NEW)
    assert names(tmp_path) == ["out"]
    assert (tmp_path / "out").read_bytes() == NEW


@needs_locks
def test_what_a_killed_writer_of_a_pack_has_left_is_removed_by_the_next(tmp_path: Path) -> None:
    assert len(killed(tmp_path, "pack", "os.rename", 1)) == 1
    assert len(killed(tmp_path, "pack", "os.rename", 1)) == 1  # the second has removed what the first left
    with replacing(tmp_path / "out") as folder:
        assert names(tmp_path) == [folder.name]
        (folder / "whole").write_bytes(NEW)
    assert names(tmp_path) == ["out"]


@pytest.mark.slow
@needs_locks
@pytest.mark.parametrize(
    ("event", "number", "standing"),
    [
        ("open", 2, OLD),  # while files are written
        ("os.rename", 1, OLD),  # before the old folder is taken away
        ("os.rename", 2, None),  # before the new one is put in its place
        ("shutil.rmtree", 1, b"1"),  # before the old one is removed
    ],
)
def test_what_a_killed_writer_of_a_folder_has_left_is_removed_and_what_stood_there_stands(
    tmp_path: Path, event: str, number: int, standing: bytes | None
) -> None:
    write_folder(tmp_path / "out", {"a": OLD})
    assert any(name.startswith(".out.") for name in killed(tmp_path, "folder", event, number))
    assert (tmp_path / "out").exists() == (standing is not None)
    clear_left(tmp_path / "out")
    assert names(tmp_path) == ["out"]
    assert (tmp_path / "out" / "a").read_bytes() == (standing or OLD)
    killed(tmp_path, "folder", event, number)
    write_folder(tmp_path / "out", FILES)
    assert names(tmp_path) == ["out"]
    assert content(tmp_path / "out") == FILES


@needs_locks
def test_what_is_being_written_is_left_alone(tmp_path: Path) -> None:
    """By another writer of the same, who has no other lock."""
    with replacing_folder(tmp_path / "run") as new, replacing(tmp_path / "pack") as folder:
        write_folder(tmp_path / "run", {"a": OLD})
        clear_left(tmp_path / "pack")
        assert names(tmp_path) == sorted([new.parent.name, folder.name, "run"])
        (new / "b").write_bytes(NEW)
        (folder / "whole").write_bytes(NEW)
    assert names(tmp_path) == ["pack", "run"]
    assert content(tmp_path / "run") == {"b": NEW}


def test_only_what_was_written_beside_the_same_place_is_removed(tmp_path: Path) -> None:
    own = {
        *(
            "run.0123abcd.tmp",
            ".run.0123abcd.tmpx",
            ".run.0123abcd.bak",
            ".run.0123ABCD.tmp",
            ".run.123abcd.tmp",
        ),
        *(".run2.0123abcd.tmp", ".run.x.0123abcd.tmp", ".xrun.0123abcd.tmp", ".run.shards"),
    }
    for name in own:
        (tmp_path / name).mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".run.01234567.tmp").symlink_to("elsewhere")
    os.mkfifo(tmp_path / ".run.89abcdef.tmp")
    write_folder(tmp_path / "run", FILES)
    assert set(names(tmp_path)) == own | {"run", "elsewhere", ".run.01234567.tmp", ".run.89abcdef.tmp"}
    assert content(tmp_path / "run") == FILES


def test_a_place_that_was_taken_for_one_left_behind_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the moment between its making and its lock."""
    mkdir, tries = Path.mkdir, iter(range(9))

    def lost(self: Path, *rest: Any, **more: Any) -> None:
        mkdir(self, *rest, **more)
        if next(tries) == 0:
            self.rmdir()

    monkeypatch.setattr(Path, "mkdir", lost)
    write_folder(tmp_path / "run", FILES)
    assert content(tmp_path / "run") == FILES
    assert names(tmp_path) == ["run"]


def test_where_there_are_no_locks_nothing_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".run.0123abcd.tmp").mkdir()

    def no_locks(*_: object, **__: object) -> None:
        raise NotImplementedError

    monkeypatch.setattr("filelock.FileLock.acquire", no_locks)
    write_folder(tmp_path / "run", {"a": OLD})
    write_folder(tmp_path / "run", FILES)
    assert names(tmp_path) == [".run.0123abcd.tmp", "run"]
    assert content(tmp_path / "run") == FILES


def test_a_folder_that_is_gone_has_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object, **__: object) -> None:
        raise FileNotFoundError

    monkeypatch.setattr("filelock.FileLock.acquire", gone)
    with pytest.raises(FileNotFoundError):
        hold(tmp_path / "lock")


def test_a_new_folder_that_cannot_be_put_in_place_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Path, target: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(OutputError, match="permission denied"):
        write_folder(tmp_path / "run", FILES)
    assert names(tmp_path) == []
