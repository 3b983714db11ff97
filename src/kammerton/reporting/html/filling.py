# SPDX-License-Identifier: MIT
"""Templates, filled so that no text of other people's files is anything but text."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from kammerton.errors import clip, printable

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

__all__ = ["LONGEST", "coded", "fill", "sentence", "shown"]

LONGEST = 200
"""Characters of a name that a page shows."""


def shown(text: str, limit: int = LONGEST) -> str:
    r"""Return a name as a page shows it: clipped, and without what a browser would obey or hide.

    >>> shown("a\u202eb")
    'a\\u202eb'
    """
    return printable(clip(text, limit))


def sentence(text: str) -> str:
    """Return a text with a capital and a full stop.

    >>> sentence("nothing was left out")
    'Nothing was left out.'
    """
    return f"{text[0].upper()}{text[1:]}."


def coded(message: str, limit: int = LONGEST) -> Markup:
    """Return a message as :func:`shown`, in which what stands in backquotes is code.

    >>> print(coded("no `a<b` here"))
    no <code><bdi>a&lt;b</bdi></code> here
    """
    from markupsafe import Markup, escape  # noqa: PLC0415

    parts = [escape(part) for part in re.split("`([^`]+)`", shown(message, limit))]
    parts[1::2] = [Markup("<code><bdi>{}</bdi></code>").format(part) for part in parts[1::2]]
    return Markup("").join(parts)


def fill(template: str, **values: Any) -> Markup:
    """Return a template with values in it; of each text every character stands for itself.

    Parameters
    ----------
    template : str
        Name of the template without suffix.
    **values
        What it names; it is an error to name anything else.
    """
    from markupsafe import Markup  # noqa: PLC0415

    text = _environment().get_template(f"{template}.html.j2").render(values)
    return Markup(text)  # noqa: S704 - made by a template that escapes


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415

    environment = Environment(
        autoescape=True,
        loader=PackageLoader("kammerton.reporting.html"),
        undefined=StrictUndefined,
        finalize=_final,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["lines"] = _lines
    return environment


def _final(value: Any) -> Any:
    """Return what a template writes: markup as it is, text without what a browser would obey or hide."""
    if hasattr(value, "__html__"):
        return value
    return "" if value is None else printable(str(value))


def _lines(text: str) -> Markup:
    """Return text of several lines."""
    from markupsafe import Markup, escape  # noqa: PLC0415

    return Markup("\n").join(escape(printable(line)) for line in text.split("\n"))
