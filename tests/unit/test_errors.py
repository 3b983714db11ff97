# SPDX-License-Identifier: MIT
import pytest

from kammerton.errors import (
    DataError,
    Diagnostic,
    LabelError,
    OptionError,
    clip,
    close_match,
    printable,
    quote,
)

FOUND = Diagnostic(code="KT310", severity="error", message="`H` is not a chord root")


@pytest.mark.parametrize(
    ("places", "concise"),
    [
        ({}, "KT310 `H` is not a chord root"),
        ({"column": 3}, "3: KT310 `H` is not a chord root"),
        ({"file": "a.lab", "line": 2, "column": 7}, "a.lab:2:7: KT310 `H` is not a chord root"),
        ({"file": "a.lab"}, "a.lab: KT310 `H` is not a chord root"),
        ({"file": "a\x1b[2J.lab"}, "a\\x1b[2J.lab: KT310 `H` is not a chord root"),
    ],
)
def test_a_diagnostic_says_where_as_far_as_it_knows(places: dict[str, object], concise: str) -> None:
    assert FOUND.at(**places).concise() == concise


def test_a_diagnostic_is_plain_values_without_the_excerpt() -> None:
    plain = FOUND.at(
        file="a.lab", line=2, column=7, excerpt="0 1 H", hint="h", item="a", system="s"
    ).to_dict()
    assert plain == {
        "severity": "error",
        "code": "KT310",
        "file": "a.lab",
        "line": 2,
        "column": 7,
        "message": "`H` is not a chord root",
        "hint": "h",
        "item": "a",
        "system": "s",
        "count": 1,
    }


def test_errors_of_data_carry_their_diagnostics() -> None:
    error = DataError([FOUND, FOUND.at(line=4)])
    assert error.diagnostics == (FOUND, FOUND.at(line=4))
    assert str(error) == "KT310 `H` is not a chord root\n4: KT310 `H` is not a chord root"
    helped = DataError([FOUND.at(hint="write `A`"), FOUND])
    assert str(helped) == "KT310 `H` is not a chord root\n  help: write `A`\nKT310 `H` is not a chord root"
    assert LabelError(FOUND).diagnostic is FOUND
    assert LabelError(FOUND).diagnostics == (FOUND,)


def test_errors_of_options_say_how_to_mend_them() -> None:
    assert str(OptionError("no")) == "no"
    assert str(OptionError("no", "do this")) == "no\n  help: do this"
    unknown = OptionError.unknown("fruit", "aple", ["pear", "apple"])
    assert str(unknown) == "unknown fruit `aple`\n  help: did you mean `apple`? known: apple, pear"
    far = OptionError.unknown("fruit", "xyz", ["pear", "apple"])
    assert (far.message, far.hint) == ("unknown fruit `xyz`", "known: apple, pear")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("C:maj", "C:maj"),
        ("Größe ♯", "Größe ♯"),
        ("a\tb\n", "a\\x09b\\x0a"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\u202eabc", "\\u202eabc"),  # turns the text that follows
        ("a\u2028b", "a\\u2028b"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),  # a tag nobody sees
        ("\x7f\x85", "\\x7f\\x85"),
    ],
)
def test_what_a_terminal_would_obey_or_hide_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_tokens_are_quoted_and_clipped() -> None:
    assert quote("a") == "`a`"
    assert quote("x" * 40) == f"`{'x' * 40}`"
    assert quote("x" * 41) == f"`{'x' * 39}…`"
    assert clip("abcdef", 3) == "ab…"
    assert clip("abc", 3) == "abc"


@pytest.mark.parametrize(
    ("name", "near"), [("MAJMIN", "MajMin"), ("MajMn", "MajMin"), ("Roto", "Root"), ("zzz", None), ("", None)]
)
def test_the_nearest_name_is_found(name: str, near: str | None) -> None:
    assert close_match(name, iter(["Root", "MajMin"])) == near


def test_the_text_of_a_usage_error_is_in_the_words_of_python() -> None:
    error = OptionError("which items?", "name them: --group-by FILE, or --measure NAME")
    assert str(error) == "which items?\n  help: name them: group_by FILE, or measures NAME"
    assert error.hint == "name them: --group-by FILE, or --measure NAME"
