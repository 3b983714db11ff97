# SPDX-License-Identifier: MIT
"""``kammerton explain``: the page of a diagnostic."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from kammerton.cli.exit_codes import DONE
from kammerton.cli.streams import write_out
from kammerton.errors import OptionError, close_match, quote

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = ["app", "pages"]

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
        near = close_match(asked, known)
        hint = "`kammerton explain` lists all codes"
        raise OptionError(
            f"unknown code {quote(code)}", hint if near is None else f"did you mean {quote(near)}? {hint}"
        )
    write_out(known[asked].read_text(encoding="utf-8"))
    return DONE


def pages() -> dict[str, Traversable]:
    """Return the page of each code."""
    folder = files("kammerton").joinpath("explanations")
    found = {page.name.removesuffix(".md"): page for page in folder.iterdir() if page.name.endswith(".md")}
    return dict(sorted(found.items()))
