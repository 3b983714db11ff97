# SPDX-License-Identifier: MIT
"""Bad files from the command line: what is said, and the exit code.

0: scored, perhaps with warnings; 1: an error was found (check), or items failed; 3: nothing could be scored.
"""

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import kammerton
from effort import effort
from kammerton.cli import main

KEYS = ["C4", "D4", "E4", "F4", "G4", "A4", "B4", "C5"]
FINGERS = "1 2 3 1 2 3 4 5"

Run = Callable[..., tuple[int, set[str]]]


def row(number: int, finger: str, *, key: str = "", channel: int = 0, onset: str = "") -> str:
    begin = onset or str(number)
    return f"{number}\t{begin}\t{number + 1}\t{key or KEYS[number % 8]}\t64\t80\t{channel}\t{finger}\n"


def pig(fingers: str = FINGERS, *, channel: int = 0) -> str:
    return "".join(row(number, finger, channel=channel) for number, finger in enumerate(fingers.split()))


def third(finger: str) -> str:
    """The scale, its third finger another."""
    return pig(f"1 2 {finger} 1 2 3 4 5")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in an empty folder, and return its exit code and what codes it spoke of."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str) -> tuple[int, set[str]]:
        code = main(arguments)
        return code, set(re.findall(r"\[(KT\d+)\]", "".join(capsys.readouterr())))

    return command


def write(path: str, content: str | bytes) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(content.encode() if isinstance(content, str) else content)


# --- pairs of PIG files ----------------------------------------------------------------------

SHIFTED = "".join(row(number, finger, key="C3") for number, finger in enumerate(FINGERS.split()))

PAIRS: dict[str, tuple[str, str, int, set[str]]] = {
    "a note less, of 8": (pig(), pig("1 2 3 1 2 3 4"), 3, {"KT372", "KT373"}),
    "a note more": (pig("1 2 3 1 2 3 4"), third("2"), 0, {"KT371"}),
    "other pitches": (pig(), SHIFTED, 3, {"KT370", "KT373"}),
    "finger 0": (pig(), third("0"), 0, {"KT379"}),
    "finger 6": (pig(), third("6"), 3, {"KT330"}),
    "all channels swapped": (pig(), pig(channel=1), 3, {"KT343"}),
    "hands swapped": (pig("1 2 3 " * 8), pig("-1 -2 -3 " * 8, channel=1), 0, {"KT378"}),
    "one note": (row(0, "1"), row(0, "2"), 0, set()),
    "no note in the estimate": (pig(), "//Version\n", 0, {"KT110", "KT379"}),
    "no note in the reference": ("//Version\n", pig(), 3, {"KT110"}),
    "no label in the reference": (pig("0 0 0 0 0 0 0 0"), pig(), 0, {"KT374"}),
    "NaN": (pig(), pig() + row(8, "1", key="D5", onset="nan"), 3, {"KT122"}),
}


@pytest.mark.parametrize(("ref", "est", "code", "said"), PAIRS.values(), ids=PAIRS)
def test_pairs(run: Run, ref: str, est: str, code: int, said: set[str]) -> None:
    write("refs/1-1_fingering.txt", ref)
    write("ests/1_est_fingering.txt", est)
    assert run("score", "fingering", "refs", "ests") == (code, said)


def test_one_bad_file_leaves_the_others(run: Run) -> None:
    for item, est in (("1", pig()), ("2", third("6"))):
        write(f"refs/{item}-1_fingering.txt", third("2"))
        write(f"ests/{item}_est_fingering.txt", est)
    assert run("score", "fingering", "refs", "ests") == (1, {"KT330", "KT379"})
    code, said = run("score", "fingering", "refs", "ests", "--strict")
    assert (code, "KT330" in said) == (3, True)


@pytest.mark.slow
def test_a_long_piece(run: Run) -> None:
    note = "{0}\t{0}\t{1}\tC4\t64\t80\t0\t{2}\n"
    for name, finger in (("refs/1-1_fingering.txt", 1), ("ests/1_est_fingering.txt", 2)):
        write(name, "".join(note.format(number, number + 1, finger) for number in range(200_000)))
    spent, result = effort(lambda: run("score", "fingering", "refs", "ests"))
    assert result == (0, {"KT378"})
    assert spent < 1000


# --- scores ----------------------------------------------------------------------------------

NOTE = (
    "<note><pitch><step>C</step><octave>4</octave></pitch><duration>1</duration>"
    "<notations><technical><fingering>1</fingering></technical></notations></note>"
)


def score(notes: str = NOTE, head: str = "", name: str = "piano") -> str:
    return (
        f'<?xml version="1.0"?>{head}<score-partwise><part-list><score-part id="P1"><part-name>{name}'
        '</part-name></score-part></part-list><part id="P1"><measure number="1"><attributes>'
        f"<divisions>1</divisions></attributes>{notes}</measure></part></score-partwise>"
    )


BOMB = '<!DOCTYPE a [<!ENTITY b0 "lol">' + "".join(
    f'<!ENTITY b{n} "{f"&b{n - 1};" * 10}">' for n in range(1, 10)
)
CONTAINER = '<container><rootfiles><rootfile full-path="{}"/></rootfiles></container>'


def archive(**members: str) -> bytes:
    """An archive of members, of which ``container`` and ``score`` have the names of scores."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as written:
        for name, text in members.items():
            written.writestr({"container": "META-INF/container.xml", "score": "s.xml"}.get(name, name), text)
    return data.getvalue()


SCORES: dict[str, tuple[str, str | bytes, int, set[str]]] = {
    "entities that expand": ("a.musicxml", score(head=BOMB + "]>", name="&b9;"), 1, {"KT351"}),
    "no notes": ("a.musicxml", score(notes=""), 1, {"KT110"}),
    "200,000 elements deep": ("a.musicxml", score(notes="<x>" * 200_000), 1, {"KT106"}),
    "a text of 20 MB": ("a.musicxml", score(name="x" * 20_000_000), 1, {"KT106"}),
    "finger 9": ("a.musicxml", score().replace("<fingering>1", "<fingering>9"), 0, {"KT330", "KT356"}),
    "an archive": ("a.mxl", archive(container=CONTAINER.format("s.xml"), score=score()), 0, {"KT356"}),
    "no archive": ("a.mxl", "hello", 1, {"KT400"}),
    "a member outside": (
        "a.mxl",
        archive(container=CONTAINER.format("s.xml"), score=score(), **{"../../x": "x"}),
        1,
        {"KT401"},
    ),
    "an archive that unpacks to 320 MB": (
        "a.mxl",
        archive(container=CONTAINER.format("s.xml"), score="\0" * 320 * 2**20),
        1,
        {"KT402"},
    ),
}


@pytest.mark.parametrize(("name", "content", "code", "said"), SCORES.values(), ids=SCORES)
def test_scores(run: Run, name: str, content: str | bytes, code: int, said: set[str]) -> None:
    write(name, content)
    found, codes = run("check", "fingering", name)
    assert (found, codes - {"KT393"}) == (code, said)  # there is no step from a single note


def test_notes_without_finger_are_counted_per_system(run: Run) -> None:
    """Of the first note nobody has a finger; a file that is not there has none for the seven others."""
    for item in ("1", "2"):
        write(f"refs/{item}-1_fingering.txt", pig("0 2 3 4 5 4 3 2"))
        write(f"refs/{item}-2_fingering.txt", pig("0 2 3 4 0 4 3 2"))
    write("one/1_est_fingering.txt", pig("0 0 3 4 0 4 3 2"))
    write("one/2_est_fingering.txt", pig("1 2 3 4 5 4 3 0"))
    write("two/1_est_fingering.txt", pig("1 2 3 4 5 4 3 2"))
    scores = kammerton.score("fingering", "refs", ["one", "two"], protocols=["strike"])
    told = {each.system: each.message for each in scores.diagnostics if each.code == "KT379"}
    assert told == {
        "one": "no finger from the system: 3 notes of 2 items, which count as wrong",
        "two": "no finger from the system: 7 notes of 1 item, which count as wrong",
    }
