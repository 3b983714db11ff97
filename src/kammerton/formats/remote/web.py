# SPDX-License-Identifier: MIT
"""What is otherwise at ``http(s)://``: folders are pages of links, and queries say who may see them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, unquote, unquote_plus

from kammerton.errors import DataError, Diagnostic
from kammerton.formats.remote.addresses import shown_address

__all__ = ["cause_of", "is_gone", "is_lasting", "is_page", "is_web", "linked", "opened_with", "status_of"]

_GONE = (404, 410)
_PASSING = (408, 425, 429)
"""Answers that say that the same may be asked for later."""

_DEEPEST, _MOST_PAGES = 32, 100_000
"""Folders within each other, and pages in all, that are looked at: a page that links to itself has no end."""

_REFERENCE = re.compile(r"&#?\w+;")
"""A character as pages have it: fsspec gives links as they stand there."""


def is_web(address: str) -> bool:
    """Tell whether an address is one of the web."""
    return address.lower().startswith(("http://", "https://"))


def opened_with(address: str) -> tuple[str, dict[str, Any]]:
    """Return what is to be opened, and what goes with whatever is asked for there.

    The query of a folder, which ends with a slash, goes with the files in it.

    >>> opened_with("https://host.org/ref/?token=1&all=")
    ('https://host.org/ref/', {'params': {'token': '1', 'all': ''}})
    >>> opened_with("https://host.org/one.lab?token=1")
    ('https://host.org/one.lab?token=1', {})
    """
    place, _, query = address.partition("#")[0].partition("?")
    if not is_web(address) or not place.endswith("/"):
        return address, {}
    params = dict(parse_qsl(query, keep_blank_values=True))
    return place, {"params": params} if params else {}


def linked(
    pages: Callable[[str], Iterable[Mapping[str, Any]]], top: str, options: Mapping[str, Any]
) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Give what is linked to on the page of a folder, and on those of the folders below it.

    Parameters
    ----------
    pages : callable
        ``pages(address)`` returns what is linked to on a page; what it raises is raised, since a folder
        that cannot be seen may hold items.
    top : str
        Address of the folder, with a slash. What lies elsewhere is not looked at.
    options : mapping
        What goes with whatever is asked for, and so need not stand in the links.

    Yields
    ------
    address, name, about
        Of each file its address, its name below the folder, and what the page says of it.

    Raises
    ------
    DataError
        KT730 if folders are nested too deep, or too many.
    """
    waiting, seen, known = [top], {top}, options.get("params", {})
    pages_seen = 1
    while waiting:
        for about in pages(waiting.pop()):
            link = _REFERENCE.sub(lambda found: unescape(found[0]), about["name"])
            place, _, query = link.partition("#")[0].partition("?")
            if not place.startswith(top) or place in seen:
                continue
            seen.add(place)
            if place.endswith("/"):
                pages_seen += 1
                _check_end(top, place, pages_seen)
                waiting.append(place)
            else:
                pairs = (pair for pair in query.split("&") if unquote_plus(pair.split("=")[0]) not in known)
                own = "&".join(pairs)
                yield f"{place}?{own}" if own else place, unquote(place[len(top) :]), about


def _check_end(top: str, place: str, pages: int) -> None:
    """Refuse folders that are nested too deep, or too many."""
    if place.count("/") - top.count("/") > _DEEPEST:
        told = f"more than {_DEEPEST} folders deep"
    elif pages > _MOST_PAGES:
        told = f"more than {_MOST_PAGES:,} folders below {shown_address(top)}"
    else:
        return
    message = f"cannot be listed: {told}; a page may link to itself"
    hint = "give the address of the folder that has the files, name them in a table (--pairs), or copy them"
    file = shown_address(place)
    raise DataError([Diagnostic(code="KT730", severity="error", message=message, hint=hint, file=file)])


def is_page(about: Mapping[str, Any]) -> bool:
    """Tell by what a server says of it whether something is a page for people."""
    return about.get("mimetype") == "text/html"


def status_of(error: BaseException) -> int | None:
    """Return the number that a server answered with, if it is known."""
    status = getattr(error, "status", None)
    return status if isinstance(status, int) else None


def cause_of(error: BaseException) -> BaseException:
    """Return what went wrong, which fsspec takes for a file that is not there."""
    return error.__cause__ or error if isinstance(error, FileNotFoundError) else error


def is_gone(error: BaseException) -> bool:
    """Tell whether a server says that something is not there."""
    return status_of(error) in _GONE


def is_lasting(error: BaseException) -> bool:
    """Tell whether a server refuses for good."""
    status = status_of(error)
    return status is not None and 400 <= status < 500 and status not in _PASSING
