# SPDX-License-Identifier: MIT
"""``--max-file-size``, on every command that reads annotations."""

from pathlib import Path
from typing import Any

import pytest

from cli.harness import Terminal
from kammerton.chords import TASK
from kammerton.cli.options import bytes_in, with_options
from kammerton.errors import OptionError
from kammerton.model.task import Task

LARGE = "0 2 C|" + "|".join(f"{start} {start + 1} C" for start in range(2, 400))


@pytest.fixture
def large(corpus: Terminal) -> Terminal:
    """The corpus with a song of several kilobytes on both sides, beside small ones."""
    corpus.write(ref={"large.lab": LARGE}, est={"large.lab": LARGE})
    return corpus


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "chords", "ref", "est"),
        ("compare", "chords", "ref", "est", "other=est"),
        ("agree", "chords", "ref", "est"),
        ("check", "chords", "ref"),
        ("convert", "chords", "ref", "out", "--to", "csv"),
        ("pack", "chords", "ref", "ref.parquet"),
        ("show", "chords", "ref", "est", "large"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_every_verb_refuses_large_files(large: Terminal, arguments: tuple[str, ...]) -> None:
    size = Path("ref/large.lab").stat().st_size
    result = large.run(*arguments, "--max-file-size", "1kB")
    said = result.err + result.out
    assert result.code in (1, 3)
    assert f"file of {size:,} bytes: over the limit of 1,000" in said
    assert "one.lab" not in said
    assert "over the limit" not in large.run(*arguments).err


def test_a_pack_is_read_whatever_its_size(large: Terminal) -> None:
    assert large.run("pack", "chords", "ref", "ref.parquet").code == 0
    result = large.run("score", "chords", "ref.parquet", "ref", "--max-file-size", "1kB")
    assert "ref.parquet" not in result.err
    assert "ref/large.lab" in result.err


@pytest.mark.parametrize(
    ("size", "count"),
    [
        ("1", 1),
        ("17b", 17),
        ("2k", 2000),
        ("2 KiB", 2048),
        ("1.5MB", 1_500_000),
        ("64mib", 67_108_864),
        ("2G", 2_000_000_000),
        ("1TiB", 1_099_511_627_776),
    ],
)
def test_sizes(size: str, count: int) -> None:
    assert bytes_in(size) == count


@pytest.mark.parametrize(
    "size", ["0", "0.5", "-1", "", "MiB", "1 XB", "1,5MB", "1e3", "nan", "1iB", "9" * 40]
)
def test_what_is_no_size(size: str) -> None:
    with pytest.raises(OptionError, match="--max-file-size"):
        bytes_in(size)


def test_a_wrong_size_on_the_command_line(corpus: Terminal) -> None:
    result = corpus.run("check", "chords", "ref", "--max-file-size", "much")
    assert result.code == 2
    assert "invalid value `much` for --max-file-size" in result.err


@pytest.mark.parametrize(("size", "rows"), [("128MiB", 2_000_000), ("1GiB", 16_000_000), ("1kB", 1_000_000)])
def test_larger_files_may_have_more_rows(size: str, rows: int) -> None:
    given: dict[str, Any] = {}

    def verb(task: Task, /, *paths: str, **choices: Any) -> int:
        given.update(choices, task=task, paths=paths)
        return 0

    assert with_options(verb, (), TASK)("ref", max_file_size=size) == 0
    assert given["options"].limits.rows == rows
