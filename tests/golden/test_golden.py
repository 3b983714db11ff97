# SPDX-License-Identifier: MIT
"""What the command line prints, byte for byte, on files small enough to be scored by hand.

``KAMMERTON_RECORD=1`` records anew; read the difference, and derive every figure that changes.

The songs of ``refs``::

    one   0 2 C       two   0 2 D:dim
          2 4 G:7

``plain`` has 0 3 C, 3 4 G for ``one``, and ``two`` as it is. By ``mirex2013``:

- Root: ``one`` 3 of 4 s, ``two`` 2 of 2 s: 5/6 = 83.33.
- MajMin, MajMinBass: G:7 counts as G; ``one`` 3 of 4 s = 75.00; ``two`` has nothing to score: undefined.
- Sevenths, SeventhsBass: G is not G:7; ``one`` 2 of 4 s = 50.00; ``two`` undefined.
- UnderSeg: of ``one``, the run 0-3 overlaps 0-2 and 2-4; lost is the lesser overlap, 1 of 4 s: 3/4;
  ``two`` 1; mean 87.50. OverSeg: 2-4 is cut at 3, lost is 1 of 4 s: 87.50. MeanSeg: 3/4 and 1: 87.50.
- ACQA: maj 2 of 2 s, 7 0 of 2 s, dim 2 of 2 s: 2/3 = 66.67. Mirex2010: G has three tones of G:7, C one: 5/6.
- 2 of 6 s are in no vocabulary of MajMin and Sevenths: 33.33 %.

``A_B|50%`` has ``one`` as the reference has it, and no ``two``, which counts as worst: Root 4 of 6 s = 66.67;
MajMin and Sevenths 4 of 4 s = 100.00, ``two`` undefined; the segmentations (1 + 0) / 2 = 50.00; ACQA: maj
and 7 right, dim not: 66.67.

``Bob``, the second annotator, holds C for all of ``one``: of ``plain`` 3 of 4 s are right, of both together
(3 + 3) / (4 + 4) = 75.00; UnderSeg of ``plain`` is 1 - 0/4 (no run crosses a boundary), OverSeg 1 - 1/4.

What is compared: seven items ``n`` of ``song``, 0 4 C, 4 8 G:7. By MajMin (G:7 counts as G; each of 8 s):

- ``c`` (C all the time) 4 of 8 s: 50.0. Sevenths 50.0.
- ``g`` (A:min until n, then G): right for 4 s where n is 1 to 4, for 3, 2, 1 s where it is 5, 6, 7:
  22 / 56 = 39.3. Sevenths 0.
- ``half`` (C until n, then G:7): wrong for abs(n - 4) s, 12 of 56 s in all: 78.6; so Sevenths.

p of ``half`` and the others 2 / 128, by Holm times 3 = .047; ``c`` and ``g`` differ on three items: 2 / 8.

``agree`` has ``song``, ``cs`` and ``gs`` as annotators: MajMin of ``song`` and ``cs`` 50.0, of ``song`` and
``gs`` 39.3, of ``cs`` and ``gs`` 0.0. Means with the others: 89.3 / 2 = 44.6, 25.0, 19.6; of all 29.8.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kammerton.cli import main

GOLDEN = Path(__file__).parent
FILES = {
    "refs/one.lab": "0\t2\tC\n2\t4\tG:7\n",
    "refs/two.lab": "0\t2\tD:dim\n",
    "plain/one.lab": "0\t3\tC\n3\t4\tG\n",
    "plain/two.lab": "0\t2\tD:dim\n",
    "tricky/one.lab": "0\t2\tC\n2\t4\tG:7\n",
    "bob/one.lab": "0\t4\tC\n",
    **{f"song/{item}.lab": "0 4 C\n4 8 G:7\n" for item in "1234567"},
    **{f"cs/{item}.lab": "0 8 C\n" for item in "1234567"},
    **{f"gs/{item}.lab": f"0 {item} A:min\n{item} 8 G\n" for item in "1234567"},
    **{f"halves/{item}.lab": f"0 {item} C\n{item} 8 G:7\n" for item in "1234567"},
    "songs/label.lab": "0.000\t1.500\tC:maj\n1.500\t3.000\tB:mja7/3\n",
    "songs/time.lab": "# by hand\n0.0 2.0 C\n20.5 19.0 F:min\n",
    "songs/wild.lab": "0 1 Cm7\n1 1 G\n1 2 \x1b[31mred\n",
    "songs/cover.png": "",
}
SYSTEMS = ("refs", "plain", "A_B|50%=tricky")
SCORE = ("score", "chords", *SYSTEMS, "--protocol", "mirex2013")
TWO = ("--measure", "mirex2013/MajMin,mirex2013/MeanSeg")
COMPARE = ("compare", "chords", "song", "c=cs", "g=gs", "half=halves")
AGREE = ("agree", "chords", "song", "cs", "gs")

CASES: dict[str, tuple[tuple[str, ...], int]] = {
    "score.txt": (SCORE, 1),
    "score.json": ((*SCORE, *TWO, "--format", "json"), 1),
    "score.csv": ((*SCORE, *TWO, "--format", "csv"), 1),
    "score.md": ((*SCORE, "--format", "md"), 1),
    "score.tex": ((*SCORE, "--format", "latex"), 1),
    "score_all.txt": ((*SCORE, "--all"), 1),
    "score_annotators.txt": (
        (
            *("score", "chords", "Ann=refs/one.lab", "plain/one.lab", "--annotator", "Bob=bob/one.lab"),
            *("--measure", "mirex2013/MajMin,mirex2013/UnderSeg,mirex2013/OverSeg"),
        ),
        0,
    ),
    "compare.txt": (COMPARE, 0),
    "compare_tests.txt": ((*COMPARE, "--tests"), 0),
    "compare.md": ((*COMPARE, "--tests", "--format", "md"), 0),
    "compare.tex": ((*COMPARE, "--tests", "--format", "latex"), 0),
    "compare.csv": ((*COMPARE, *TWO, "--format", "csv"), 0),
    "compare.json": ((*COMPARE, "--measure", "mirex2013/MajMin", "--format", "json"), 0),
    "agree.txt": (AGREE, 0),
    "agree.md": ((*AGREE, "--format", "md"), 0),
    "agree.tex": ((*AGREE, "--format", "latex"), 0),
    "agree.csv": ((*AGREE, *TWO, "--format", "csv"), 0),
    "agree.json": ((*AGREE, *TWO, "--format", "json"), 0),
    "check.txt": (("check", "chords", "songs"), 1),
    "check.json": (("check", "chords", "songs", "--format", "json"), 1),
    "check_github.txt": (("check", "chords", "songs", "--format", "github"), 1),
    "check_concise.txt": (("check", "chords", "songs", "--format", "concise"), 1),
    "measures.txt": (("measures", "mirex2013/MajMin"), 0),
    "measures.md": (("measures", "mirex2013/MajMin", "--format", "md"), 0),
    "help.txt": (("--help",), 0),
}


@pytest.fixture
def record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Callable[..., tuple[int, bytes, bytes]]:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: str) -> tuple[int, bytes, bytes]:
        code = main(arguments)
        captured = capsysbinary.readouterr()
        return code, captured.out, captured.err

    return run


def expected(name: str, printed: bytes) -> bytes:
    path = GOLDEN / name
    if os.environ.get("KAMMERTON_RECORD"):
        path.write_bytes(printed)
    return path.read_bytes()


@pytest.mark.skipif(os.sep != "/", reason="messages name files as the system does")
@pytest.mark.parametrize("name", CASES)
def test_output_is_as_recorded(name: str, record: Callable[..., tuple[int, bytes, bytes]]) -> None:
    arguments, code = CASES[name]
    got, out, _ = record(*arguments)
    assert got == code
    assert out == expected(name, out)


@pytest.mark.skipif(os.sep != "/", reason="messages name files as the system does")
def test_talk_is_as_recorded(record: Callable[..., tuple[int, bytes, bytes]]) -> None:
    _, _, said = record(*SCORE)
    assert said == expected("score_talk.txt", said)


def test_in_twenty_columns(
    record: Callable[..., tuple[int, bytes, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    _, out, _ = record(*SCORE)
    assert out == expected("score_narrow.txt", out)
