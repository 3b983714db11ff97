# SPDX-License-Identifier: MIT
"""Addresses on the command line."""

import functools
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest

import kammerton
from cli.harness import Terminal

FILES = {"ref/one.lab": "0 2 C\n2 4 G:7\n", "est/one.lab": "0 3 C\n3 4 G\n"}


@pytest.fixture(autouse=True)
def place() -> Iterator[None]:
    system = fsspec.filesystem("memory")
    for name, text in FILES.items():
        system.pipe(f"/songs/{name}", text.encode())
    yield
    system.rm("/songs", recursive=True)


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "chords", "ref", "est", "--measure", "mirex2013/MajMin"),
        ("score", "chords", "ref", "mine=est", "--out", "run"),
        ("compare", "chords", "ref", "est", "mine=est", "--measure", "mirex2013/MajMin"),
        ("agree", "chords", "ref", "est", "--measure", "mirex2013/MajMin"),
        ("show", "chords", "ref", "est", "one"),
        ("show", "chords", "ref", "est"),
        ("pack", "chords", "ref", "ref.parquet"),
        ("check", "chords", "ref", "est"),
        ("convert", "chords", "ref", "out", "--to", "csv", "--force"),
    ],
    ids=" ".join,
)
def test_addresses_stand_for_folders(corpus: Terminal, arguments: tuple[str, ...]) -> None:
    """Of two songs here, one is there, so that both say the same once it is alone."""
    for side in ("ref", "est"):
        Path(side, "two.lab").unlink()
    found = []
    for place in ("", "memory://songs/"):
        named = [
            f"{name}{equals}{place}{path}" if path in ("ref", "est") else each
            for each in arguments
            for name, equals, path in [each.rpartition("=")]
        ]
        result = corpus.run(*named, *(("--force",) if arguments[0] == "pack" else ()))
        found.append((result.code, result.out, result.err.replace("memory://songs/", "")))
    assert found[1][:2] == found[0][:2]
    assert found[0][0] == (1 if "error" in found[0][2] else 0)


def test_what_is_not_there(corpus: Terminal) -> None:
    result = corpus.run("score", "chords", "memory://songs/nothing", "est")
    assert result.code == 2
    assert "no such file or folder: `memory://songs/nothing`" in result.err


@pytest.mark.parametrize("option", ["--output", "--per-item", "--out"])
def test_nothing_is_written_elsewhere(corpus: Terminal, option: str) -> None:
    result = corpus.run("score", "chords", "ref", "est", option, "memory://key:s3cret@songs/x.csv")
    assert result.code == 2
    assert "cannot write to `memory://songs/x.csv`" in result.err
    assert "s3cret" not in result.err
    assert not Path("memory:").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("report", "{}"),
        ("explain", "{}"),
        ("score", "chords", "ref", "est", "--protocol", "{}"),
        ("score", "chords", "ref", "est", "--splits", "{}", "--split", "test"),
        ("score", "chords", "ref", "est", "{}"),
    ],
    ids=" ".join,
)
def test_addresses_in_the_wrong_place_keep_secrets(corpus: Terminal, arguments: tuple[str, ...]) -> None:
    """What is said may be kept in logs."""
    for address in ("https://key:s3cret-and-more-of-it-than-fits@h.org/x", "s3://songs/?token=s3cret"):
        result = corpus.run(*(each.format(address) for each in arguments))
        assert result.code in (2, 3)
        assert "://" in result.err
        assert "s3cret" not in result.err + result.out


def test_crash_reports_keep_secrets(
    corpus: Terminal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    @functools.wraps(kammerton.score)  # whose signature the command line reads
    def crash(*_: object, **__: object) -> None:
        raise RuntimeError("at https://me:s3cret@host.org/x?sig=s3cret")

    monkeypatch.setattr("kammerton.score", crash, raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result = corpus.run("score", "chords", "s3://key:s3cret@songs/ref", "mine=s3://key:s3cret@songs/est")
    assert result.code == 4
    (report,) = tmp_path.glob("kammerton-crash-*.txt")
    text = report.read_text(encoding="utf-8")
    assert "s3cret" not in text + result.err
    assert "mine=s3://songs/est" in text
    assert "https://host.org/x" in text
