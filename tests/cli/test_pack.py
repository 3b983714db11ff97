# SPDX-License-Identifier: MIT
"""``kammerton pack``, and the commands that take a pack: what they say is what they say of the files."""

import re
import resource
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import kammerton
from cli.harness import Terminal
from kammerton.cli.demo import EXAMPLE
from kammerton.fingering import Fingering

PACK = ("pack", "chords")


@pytest.fixture
def packed(corpus: Terminal) -> Terminal:
    """The corpus with a file that cannot be read and one with a repair, and packs of both sides."""
    corpus.write(
        ref={"notes.md": "", "torn.lab": "0 1 nonsense", "sub/three.lab": "0 2 C|1 3 G"},
        est={"torn.lab": "0 1 C", "extra.lab": "0 1 C", "sub/three.lab": "0 3 C"},
    )
    for side in ("ref", "est"):
        assert corpus.run(*PACK, side, f"{side}.parquet", "--overlap", "trim").code == (side == "ref")
    return corpus


def both(terminal: Terminal, *arguments: str) -> Sequence[tuple[int, str, str]]:
    """Run on the folders, and then on their packs."""
    found = []
    for suffix in ("", ".parquet"):
        given = [re.sub(r"^(other=)?(ref|est)$", rf"\g<0>{suffix}", each) for each in arguments]
        result = terminal.run(*given)
        out, err = (text.replace(".parquet", "") for text in (result.out, result.err))
        found.append((result.code, out, err))
    return found


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "chords", "ref", "est", "--overlap", "trim"),
        ("score", "chords", "ref", "est", "--overlap", "trim", "--format", "json"),
        ("score", "chords", "ref", "est", "--overlap", "trim", "--missing", "skip", "--strict"),
        ("show", "chords", "one", "ref", "est", "--overlap", "trim"),
        ("show", "chords", "sub/three", "ref", "est", "--overlap", "trim"),
        ("compare", "chords", "ref", "est", "other=est", "--overlap", "trim"),
        ("agree", "chords", "ref", "est", "--overlap", "trim"),
    ],
    ids=" ".join,
)
def test_packs_stand_for_folders(packed: Terminal, arguments: Sequence[str]) -> None:
    files, packs = both(packed, *arguments)
    assert packs == files
    assert files[1] or files[2]


def test_checking_a_pack_says_what_checking_the_folder_says(packed: Terminal) -> None:
    files, packs = both(packed, "check", "chords", "ref", "--overlap", "trim")
    assert packs[:2] == files[:2]
    assert files[2] == packs[2].replace("\n", "; 1 path ignored\n")
    assert "nonsense" in files[1] + files[2]
    assert "KT205" in files[1]


def test_a_pack_of_a_file_of_many_items_is_checked_as_the_file_is(terminal: Terminal) -> None:
    table = str(EXAMPLE / "instruments" / "reference.csv")
    assert terminal.run("pack", "instruments", table, "songs.parquet").code == 0
    file, pack = (terminal.run("check", "instruments", each) for each in (table, "songs.parquet"))
    assert pack == file
    assert (pack.code, pack.err) == (0, "1 file checked: no problems\n")


def test_items_of_a_pack_that_are_of_no_file_are_named(tmp_path: Path) -> None:
    """A thumb on E2, and the finger beside it on F#6."""
    right = np.zeros(2, dtype=np.int64)
    piece = Fingering(np.zeros(2), np.ones(2), np.array([40, 90]), right, ("1", "2"))
    kammerton.pack("fingering", {"a piece": piece}, tmp_path / "x.parquet")
    found = kammerton.check("fingering", tmp_path / "x.parquet")
    assert found.files == (str(tmp_path / "x.parquet"),)
    assert found.diagnostics
    assert all(each.message.startswith("`a piece`: ") for each in found.diagnostics)


def test_a_closing_line_tells_what_was_packed(corpus: Terminal) -> None:
    result = corpus.run(*PACK, "ref", "ref.parquet")
    assert (result.code, result.out) == (0, "")
    assert re.fullmatch(r"packed 2 items, 2 annotations, 3 rows: \d\.\d kB\n", result.err)
    assert corpus.run(*PACK, "ref", "ref2.parquet", "--quiet").err == ""


def test_what_was_broken_is_told_and_kept(corpus: Terminal) -> None:
    corpus.write(ref={"torn.lab": "0 1 nonsense"})
    result = corpus.run(*PACK, "ref", "ref.parquet")
    assert result.code == 1
    assert "ref/torn.lab:1:5" in result.err
    assert result.lines[-1].endswith("; 1 cannot be used, and the pack says why")
    assert "ref/torn.lab:1:5" in corpus.run("score", "chords", "ref.parquet", "est").err


def test_files_are_not_replaced_unasked(corpus: Terminal) -> None:
    Path("x.parquet").write_text("mine")
    result = corpus.run(*PACK, "ref", "x.parquet")
    assert result.code == 5
    assert "KT503" in result.err
    assert Path("x.parquet").read_text() == "mine"
    assert corpus.run(*PACK, "ref", "x.parquet", "--force").code == 0
    assert Path("x.parquet").read_bytes()[:4] == b"PAR1"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ref",), "expected PATH OUT.parquet, got 1 paths"),
        (("ref", "a.parquet", "b.parquet"), "expected PATH OUT.parquet, got 3 paths"),
        (("ref", "x.parquet", "--pairs", "p.csv"), "expected --pairs FILE.csv OUT.parquet, got 2 paths"),
        (("ref", "x.csv"), "the name of a pack ends in .parquet: `x.csv`"),
        (("nothing", "x.parquet"), "no such file or folder"),
    ],
)
def test_wrong_use(corpus: Terminal, arguments: Sequence[str], said: str) -> None:
    result = corpus.run(*PACK, *arguments)
    assert result.code == 2
    assert said in result.err
    assert not Path("x.parquet").exists()


def test_nothing_that_can_be_read(terminal: Terminal) -> None:
    terminal.write(ref={"torn.lab": "0 1 nonsense"})
    result = terminal.run(*PACK, "ref", "x.parquet")
    assert result.code == 3
    assert terminal.left() == {"ref/torn.lab"}


def test_a_list_of_pairs(corpus: Terminal) -> None:
    Path("pairs.csv").write_text(
        "item,reference,est\none,ref/one.lab,est/one.lab\ntwo,ref/two.lab,est/two.lab\n"
    )
    assert corpus.run(*PACK, "--pairs", "pairs.csv", "all.parquet").code == 0
    files = corpus.run("score", "chords", "--pairs", "pairs.csv", "--format", "json")
    packs = corpus.run("score", "chords", "--pairs", "all.parquet", "--format", "json")
    assert (packs.code, packs.out, packs.err) == (files.code, files.out, files.err)
    assert corpus.run("convert", "chords", "all.parquet", "back", "--to", "lab").code == 0
    assert len({name for name in corpus.left() if name.startswith("back/")}) == 4


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["pack", "score"])
def test_a_disk_that_takes_no_more(corpus: Terminal, verb: str) -> None:
    """Stood in for by a limit on the size of files, of which writers learn in the same way."""
    before = corpus.left()
    arguments = ("ref", "x.parquet") if verb == "pack" else ("ref", "est", "--out", "run", "--quiet")
    program = corpus.start(
        *(verb, "chords", *arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000)),
    )
    _, said = program.communicate()
    assert program.returncode == 5
    assert re.fullmatch(r"error\[KT502\] cannot write the pack: File too large.*\n", said.decode())
    assert corpus.left() == before


def test_what_comes_out_is_what_comes_of_the_files(packed: Terminal) -> None:
    packed.write(ref={"notes.md": "dear"})
    Path("ref/torn.lab").unlink()
    assert packed.run(*PACK, "ref", "ref.parquet", "--overlap", "trim", "--force").code == 0
    for form in ("lab", "csv", "jams"):
        said = []
        for source in ("ref", "ref.parquet"):
            arguments = (source, f"{source}-{form}", "--to", form, "--overlap", "trim")
            said.append(packed.run("convert", "chords", *arguments).err)
        assert said[1] == said[0]
        assert "ignored: suffix not recognised" in said[0]
        files, packs = (
            {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.*")}
            for folder in (Path(f"ref-{form}"), Path(f"ref.parquet-{form}"))
        )
        assert packs == files
        assert len(files) == 3


def test_there_and_back(packed: Terminal) -> None:
    result = packed.run("convert", "chords", "ref.parquet", "back", "--to", "lab", "--overlap", "trim")
    assert result.code == 1  # one of the files could not be read
    assert "nonsense" in result.err
    assert {name for name in packed.left() if name.startswith("back/")} == {
        "back/one.lab",
        "back/two.lab",
        "back/sub/three.lab",
    }
    assert Path("back/one.lab").read_text() == "0.0\t2.0\tC\n2.0\t4.0\tG:7\n"
    assert Path("back/sub/three.lab").read_text() == "0.0\t1.0\tC\n1.0\t3.0\tG\n"


@pytest.mark.parametrize(("task", "form"), [("chords", "jams"), ("fingering", "pig"), ("instruments", "csv")])
def test_the_example_there_and_back(terminal: Terminal, task: str, form: str) -> None:
    """Every task: the files that come out of a pack are those that come of the files."""
    source = EXAMPLE / task / ("careful.csv" if task == "instruments" else "careful")
    assert terminal.run("pack", task, str(source), "x.parquet").code == 0
    assert terminal.run("convert", task, "x.parquet", "y/", "--to", form).code == 0
    assert terminal.run("pack", task, "y", "y.parquet").code == 0
    figures = [
        [(each["measure"], each["value"], each["items"]) for each in document["scores"]]
        for document in (
            terminal.run("score", task, str(source), f"same={path}", "--format", "json").document
            for path in (source, "y.parquet")
        )
    ]
    assert figures[1] == figures[0]
    assert figures[0]


def test_help_names_what_is_written(terminal: Terminal) -> None:
    assert "PATH OUT.parquet" in terminal.run("pack", "chords", "--help").out
