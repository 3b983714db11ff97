# SPDX-License-Identifier: MIT
"""The pages that explain codes; `kammerton explain` needs no NumPy, so they stand apart."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from kammerton.errors import OptionError, quote

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_NUMBERED = re.compile("KT[0-9]")
_CODE = re.compile(r"[A-Z]{2,8}[0-9]{0,5}")


def _every_page() -> dict[str, Traversable]:
    folder = files("kammerton").joinpath("explanations")
    by_name = {page.name.removesuffix(".md"): page for page in folder.iterdir() if page.name.endswith(".md")}
    return dict(sorted(by_name.items()))


@cache
def pages() -> dict[str, Traversable]:
    """Return the page of each code."""
    return {name: page for name, page in _every_page().items() if _CODE.fullmatch(name)}


@cache
def topics() -> dict[str, Traversable]:
    """Return the pages that explain words of results."""
    return {name: page for name, page in _every_page().items() if not _CODE.fullmatch(name)}


@cache
def page_of(code: str) -> tuple[str, str]:
    """Return the title and the text of a page; of a code of another package, which has none, the code."""
    if code not in pages():
        return code, ""
    title, _, text = pages()[code].read_text(encoding="utf-8").partition("\n")
    return title.removeprefix(f"# {code}").strip(), text.strip()


def explain(code: str) -> str:
    """Return what a code means, an example, and how to mend it.

    Parameters
    ----------
    code : str
        Such as ``"KT312"``, as it stands in a message; or a topic, ``"human-agreement"``.

    Returns
    -------
    str
        The page in Markdown.

    Raises
    ------
    OptionError
        If there is no such code.

    Examples
    --------
    >>> explain("KT114").splitlines()[0]
    '# KT114 arrays do not fit together'
    """
    name = code.strip("[]").upper()
    name = f"KT{name}" if name.isdecimal() else name
    known = {**pages(), **{topic.upper(): page for topic, page in topics().items()}}
    if name not in known:  # codes that begin alike are listed: a number near by is another problem
        alike = [page for page in known if _NUMBERED.match(name) and page.startswith(name[:3])]
        opening = f"{alike[0]} to {alike[-1]} begin alike; " if alike else ""
        raise OptionError(f"unknown code {quote(code)}", f"{opening}`kammerton explain` lists all codes")
    return known[name].read_text(encoding="utf-8")


def codes_of(codes: Iterable[str]) -> tuple[str, ...]:
    """Return codes, or what codes begin with, in upper case, and refuse what no code begins with."""
    upper = tuple(code.strip().upper() for code in codes)
    for code in upper:
        if not _CODE.fullmatch(code):
            raise OptionError(f"not a code: {quote(code)}", "such as KT391, or KT3 for all that begin so")
        if code.startswith("KT") and not any(known.startswith(code) for known in pages()):
            raise OptionError(f"no code begins with {quote(code)}", "known codes: `kammerton explain`")
    return upper
