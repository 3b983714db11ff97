# SPDX-License-Identifier: MIT
import pytest

from kammerton.fingering.annotation import diagnose_pitch, midi_of, parse_midi, parse_pitch

HINT = "a pitch is a letter, `#` or `b`, and an octave, as in `C#4`; C4 is the middle C"


@pytest.mark.parametrize(
    ("text", "midi"),
    [
        *(("C4", 60), ("A0", 21), ("C8", 108), ("C-1", 0), ("G9", 127)),
        *(("C#4", 61), ("Db4", 61), ("B#3", 60), ("Cb4", 59), ("B3", 59)),  # A11: octave of the letter
        *(("C##5", 74), ("Bbb2", 45), ("E#4", 65)),  # A12
        *(("C##9", 122), ("Cbbbb4", 56), ("C####4", 64)),
    ],
)
def test_spelled_pitches_are_keys(text: str, midi: int) -> None:
    assert parse_pitch(text) == midi


@pytest.mark.parametrize(
    "text",
    ["", "4", "C", "H4", "c4", "C#b4", "C#####4", "Cx4", "C4 ", "C 4", "C♯4", "C100", "C4.0", "C٤", "60"],
)
def test_other_text_is_no_spelled_pitch(text: str) -> None:
    assert parse_pitch(text) is None


@pytest.mark.parametrize(("text", "midi"), [("0", 0), ("60", 60), ("127", 127), ("60.", 60), ("60.00", 60)])
def test_midi_numbers(text: str, midi: int) -> None:
    assert parse_midi(text) == midi


@pytest.mark.parametrize("text", ["", "128", "-1", "60.5", "1_0", "6e1", "٦٠", "C4", "1000"])
def test_other_text_is_no_midi_number(text: str) -> None:
    assert parse_midi(text) is None


def test_the_octave_is_that_of_the_letter() -> None:
    assert midi_of("B", 1, 3) == 60
    assert midi_of("C", -1, 4) == 59


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("H4", "German `H` is `B`, `B` is `Bb`"),
        ("c#4", "letters are upper case: `C#4`"),
        *(("C♯4", "write `C#4`"), ("D♭4", "write `Db4`")),
        *(("c", HINT), ("X", HINT), ("", HINT)),
    ],
)
def test_what_is_no_pitch_is_said_with_a_hint(text: str, hint: str) -> None:
    found = diagnose_pitch(text)
    assert (found.code, found.severity, found.hint) == ("KT341", "error", hint)
    assert found.message == f"not a pitch: `{text}`"
