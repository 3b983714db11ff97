# SPDX-License-Identifier: MIT
"""``kammerton explain``: the page of a diagnostic."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from kammerton.cli.streams import DONE, write_out
from kammerton.errors import OptionError, quote

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = ["app", "pages"]

_NUMBERED = re.compile("KT[0-9]")

app = App(
    name="explain",
    help="Say what a diagnostic means and how to mend it.",
    usage="Usage: kammerton explain [CODE]",
)


@app.default
def explain(code: Annotated[str | None, Parameter(name="CODE", show_default=False)] = None, /) -> int:
    """Print what a code means, an example, and how to mend it; without CODE, list all codes.

    Parameters
    ----------
    code
        Such as KT312, as it stands in brackets in a message.
    """
    known = pages()
    if code is None:
        titles = (page.read_text(encoding="utf-8").partition("\n")[0] for page in known.values())
        write_out("".join(f"{title.removeprefix('# ')}\n" for title in titles))
        return DONE
    asked = code.strip("[]").upper()
    asked = f"KT{asked}" if asked.isdecimal() else asked
    if asked not in known:
        raise OptionError(f"unknown code {quote(code)}", _hint(asked, known))
    write_out(known[asked].read_text(encoding="utf-8"))
    return DONE


def _hint(asked: str, known: Iterable[str]) -> str:
    """Return which codes there are: those that begin alike, as a number near by is another problem."""
    everything = "`kammerton explain` lists all codes"
    alike = [code for code in known if _NUMBERED.match(asked) and code.startswith(asked[:3])]
    return f"{alike[0]} to {alike[-1]} begin alike; {everything}" if alike else everything


def pages() -> dict[str, Traversable]:
    """Return the page of each code."""
    folder = files("kammerton").joinpath("explanations")
    found = {page.name.removesuffix(".md"): page for page in folder.iterdir() if page.name.endswith(".md")}
    return dict(sorted(found.items()))
