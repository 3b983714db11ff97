# SPDX-License-Identifier: MIT
"""As many rows as the limit says are read, and not one more, whether the last line has an end or not."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from kammerton.chords.annotation import ChordOptions, read_chords
from kammerton.errors import Diagnostic
from kammerton.fingering.formats import read_fingering
from kammerton.fingering.formats.notes import FingeringOptions
from kammerton.formats import Limits
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.reading import read_instruments

LIMIT = Limits(rows=3)


def chords(path: Path) -> Sequence[Diagnostic]:
    return read_chords(path, path.name, ChordOptions(limits=LIMIT)).diagnostics


def fingering(path: Path) -> Sequence[Diagnostic]:
    return read_fingering(path, path.name, FingeringOptions(limits=LIMIT)).diagnostics


def instruments(path: Path) -> Sequence[Diagnostic]:
    return read_instruments(path, path.name, InstrumentOptions(limits=LIMIT)).diagnostics


Read = Callable[[Path], Sequence[Diagnostic]]

FILES: dict[str, tuple[Read, str, str, str]] = {
    "rows": (chords, "a.lab", "", "{0} {1} C\n"),
    "rows with tabs": (chords, "a.txt", "", "{0}\t{1}\tC\n"),
    "Audacity's, with frequencies": (chords, "a.txt", "", "{0}\t{1}\tC\n\\\t100\t200\n"),
    "CSV": (chords, "a.csv", "start,end,label\n", "{0},{1},C\n"),
    "CSV below a comment": (chords, "a.csv", "# by hand\nstart,end,label\n", "{0},{1},C\n"),
    "PIG": (fingering, "a_fingering.txt", "//Version\n", "{0}\t{0}\t{1}\tC4\t64\t80\t0\t1\n"),
    "PIG between blanks": (fingering, "a_fingering.txt", "", "{0} {0} {1} C4 64 80 0 1\n"),
    "PIG of PianoPlayer": (fingering, "a.txt", "", "{0}\t{0}\t{1}\t60\tNone\tNone\t0\t1\t2.5\t{0}\n"),
    "notes": (fingering, "a.csv", "onset,offset,pitch,hand,finger\n", "{0},{1},60,R,1\n"),
    "labels": (instruments, "a.txt", "", "label {0}\n"),
    "list": (instruments, "a.csv", "instrument\n", "label {0}\n"),
    "list with scores": (instruments, "a.csv", "instrument,score\n", "label {0},0.5\n"),
}


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\n# end\n", "\n# end"])
@pytest.mark.parametrize("kind", FILES)
def test_the_limit_of_rows_is_exact(kind: str, end: str, tmp_path: Path) -> None:
    read, name, header, row = FILES[kind]
    for count in (2, 3, 4):
        text = header + "".join(row.format(at, at + 1) for at in range(count))
        path = tmp_path / name
        path.write_text(text.removesuffix("\n") + end)
        codes = {problem.code for problem in read(path)}
        assert ("KT106" in codes) == (count > 3), count
