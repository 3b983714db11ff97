# SPDX-License-Identifier: MIT
"""Make text of unknown origin harmless for the place where it will be read.

Labels, titles and paths come from other people's files. Each function here is for one reader.
"""

from __future__ import annotations

import re
import unicodedata

from kammerton.errors import printable

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What makes a spreadsheet take a cell for a formula."""

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "^": r"\textasciicircum{}",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "%": r"\%",
    "<": "$<$",
    ">": "$>$",
    "|": r"\textbar{}",
}
"""What LaTeX obeys, and what TeX's own encoding prints as something else."""

_LIGATURE = re.compile(r"(?<=-)(?=-)|(?<=')(?=')|(?<=[`?!])(?=`)")
"""Where TeX would make one character of two, such as a dash of two hyphens."""

_MINUS = re.compile(r"(?<![\w.])-(?=[\d.])")
"""A hyphen before a number, not within a name, a range or an exponent."""

_MARKDOWN = re.compile(r"[\\`*_\[\]<>|~#$]")


def for_terminal(text: str, encoding: str = "utf-8") -> str:
    r"""Return one line that neither a terminal nor a build log takes for a command.

    Build logs obey lines that begin with ``::`` and, older ones, ``##[`` anywhere. What ``encoding``
    does not have is escaped too, so that the width of the text is that of what is printed.

    >>> print(for_terminal("a\x1b[31mb"), for_terminal("::error::x"))
    a\x1b[31mb \x3a:error::x
    """
    shown = printable(text).replace("##[", r"\x23#[")
    if not shown.isascii():
        shown = shown.encode(encoding, "backslashreplace").decode(encoding)
    return r"\x3a" + shown[1:] if shown.startswith("::") else shown


def for_screen(document: str) -> str:
    """Return a document of several lines without what a terminal would obey."""
    return "\n".join("\t".join(map(printable, line.split("\t"))) for line in document.split("\n"))


def for_json(document: str) -> str:
    r"""Escape in JSON what a terminal would obey or hide; the meaning stays.

    >>> print(for_json('"a\x9bb é"'))
    "a\u009bb é"
    """
    return re.sub(r"[^\n -~]", _escaped_in_json, document)


def _escaped_in_json(match: re.Match[str]) -> str:
    character = match.group()
    if printable(character) == character:
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def for_markdown(text: str) -> str:
    r"""Return text for a cell of a table in GitHub's Markdown.

    >>> print(for_markdown("a|b_c"))
    a\|b\_c
    """
    return _MARKDOWN.sub(r"\\\g<0>", printable(text).replace("&", "&amp;"))


def for_latex(text: str) -> str:
    r"""Return text for a cell of a LaTeX table.

    >>> print(for_latex("50 % of A_B"))
    50 \% of A\_B
    """
    escaped = _LIGATURE.sub("{}", "".join(_LATEX.get(each, each) for each in printable(text)))
    # after `\\`, LaTeX takes a star or a bracket as that command's own; build logs obey `::`
    return "{}" + escaped if escaped.startswith(("[", "*", "::")) else escaped


def for_latex_number(text: str) -> str:
    """Return numbers for a cell of a LaTeX table, with minus signs in place of hyphens.

    >>> print(for_latex_number("-0.58"), for_latex_number("<.0001"), for_latex_number("-"))
    $-$0.58 $<$.0001 -
    """
    return _MINUS.sub("$-$", for_latex(text))


def bold_in_markdown(shown: str) -> str:
    """Return text that was escaped in bold."""
    return f"**{shown}**"


def bold_in_latex(shown: str) -> str:
    """Return text that was escaped in bold."""
    return rf"\textbf{{{shown}}}"


def for_github_data(text: str) -> str:
    """Return the message of a GitHub workflow command, its lines without what a terminal would obey."""
    return "%0A".join(map(printable, text.replace("%", "%25").split("\n")))


def for_github_property(text: str) -> str:
    """Return the value of a property of a GitHub workflow command."""
    return for_github_data(text).replace(":", "%3A").replace(",", "%2C")


def for_spreadsheet(text: str) -> str:
    """Return text that no spreadsheet takes for a formula.

    >>> for_spreadsheet("=cmd()")
    "'=cmd()"
    """
    return f"'{text}" if text.startswith(_FORMULA) else text


def display_width(text: str) -> int:
    """Return how many columns of a terminal a printable text fills."""
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Fill ``text`` up with blanks to ``width`` columns, before it if ``right`` aligns it."""
    blanks = " " * (width - display_width(text))
    return blanks + text if right else text + blanks
