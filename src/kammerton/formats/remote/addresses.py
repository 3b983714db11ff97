# SPDX-License-Identifier: MIT
"""Addresses, and as much of them as others may see."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import TypeGuard
from urllib.parse import urlsplit

from kammerton.errors import OptionError, quote

__all__ = ["check_here", "is_remote", "name_at", "shown_address", "shown_path", "with_shown_addresses"]

_REMOTE = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://[^\s'\"`]+", re.IGNORECASE)
_CUT = re.compile(r"(.*://)[^/@]*…", re.DOTALL)
"""An address of which so little is left that who asks cannot be told from where."""

_KEYS_WITH_SLASH = re.compile(r"[^/?#@:\[]*:(?!\d*(?:[/?#]|\Z))[^@/?#]*[/?#][^@]*@")
"""A name and a secret that ought to have been quoted, as a slash is in many of them; a port is none."""

_SUFFIX = re.compile(r"\.[a-z]\w*", re.IGNORECASE)


def is_remote(path: object) -> TypeGuard[str]:
    """Tell an address from the path of a file.

    >>> is_remote("s3://corpus/songs"), is_remote("songs"), is_remote("C:/songs")
    (True, False, False)
    """
    return isinstance(path, str) and _REMOTE.match(path) is not None


def shown_address(address: str) -> str:
    """Return an address without what proves who is asking: names, passwords, queries.

    >>> shown_address("https://me:secret@host.org/a/songs.parquet?X-Signature=1f2e")
    'https://host.org/a/songs.parquet'
    """
    scheme, _, rest = address.partition("://")
    rest = _KEYS_WITH_SLASH.sub("", rest, count=1) if _KEYS_WITH_SLASH.match(rest) else rest
    place, slash, path = re.split(r"[?#]", rest, maxsplit=1)[0].partition("/")
    return f"{scheme}://{place.rpartition('@')[2]}{slash}{path}"


def shown_path(path: str | os.PathLike[str]) -> str:
    """Return what messages call a path or an address."""
    return shown_address(path).rstrip("/") if is_remote(path) else os.fspath(Path(path))


def check_here(path: str | os.PathLike[str]) -> None:
    """Refuse to write to an address.

    Raises
    ------
    OptionError
        If it is one.
    """
    if is_remote(path):
        raise OptionError(f"cannot write to {quote(shown_address(path))}", "write here, and copy it there")


def with_shown_addresses(text: str) -> str:
    """Return a text in which addresses are as :func:`shown_address` has them.

    >>> with_shown_addresses("score ref mine=s3://key:secret@corpus/mine --quiet")
    'score ref mine=s3://corpus/mine --quiet'
    """
    return _ADDRESS.sub(lambda found: shown_address(_CUT.sub(r"\1…", found[0])), text)


def name_at(address: str) -> str:
    """Return what a collection at an address is called: its last component, without the suffix of a file.

    >>> name_at("s3://corpus/systems/mine/"), name_at("memory://mine.parquet"), name_at("s3://corpus/v1.0")
    ('mine', 'mine', 'v1.0')
    """
    parts = urlsplit(shown_address(address))
    path = PurePosixPath(parts.path.rstrip("/") or parts.netloc)
    return path.stem if _SUFFIX.fullmatch(path.suffix) else path.name
