# SPDX-License-Identifier: MIT
"""A page as one file: styles, program and data in it, and a policy that lets nothing else in."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from kammerton.reporting.html.filling import fill
from kammerton.reporting.html.sections import Page
from kammerton.version import __version__

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["embedded", "program", "render_page"]

PROGRAM = (
    "page.js",
    "scatter.js",
    "items.js",
    "over_time.js",
    "timeline.js",
    "roll.js",
    "outline.js",
    "views.js",
)
STYLES = ("page.css", "views.css")

_UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def render_page(page: Page) -> bytes:
    """Return a report as the content of one file.

    Everything it needs is in it. Its Content-Security-Policy runs the program and takes the styles that are
    in it, by their digests, and forbids all requests, forms and bases.
    """
    styles = _joined(STYLES)
    policy = (
        f"default-src 'none'; script-src '{_digest(program())}'; style-src '{_digest(styles)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    text = fill(
        "page",
        page=page,
        policy=policy,
        program=_verbatim(program()),
        styles=_verbatim(styles),
        embedded=embedded,
        version=__version__,
    )
    return text.encode("utf-8")


def program() -> str:
    """Return the program of the page."""
    return _joined(PROGRAM)


def embedded(data: Any) -> Markup:
    r"""Return data as JSON that can stand in a page: no text in it ends its element.

    >>> embedded(["</script>", "\u2028"])
    Markup('["\\u003c/script\\u003e","\\u2028"]')
    """
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    for character, escape in _UNSAFE.items():
        text = text.replace(character, escape)
    return _verbatim(text)


def _verbatim(text: str) -> Markup:
    from markupsafe import Markup  # noqa: PLC0415

    return Markup(text)  # noqa: S704 - our own files, and JSON without what markup is made of


@cache
def _joined(names: tuple[str, ...]) -> str:
    folder = resources.files("kammerton.reporting.html") / "static"
    return "\n" + "\n".join((folder / name).read_text("utf-8") for name in names)


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
