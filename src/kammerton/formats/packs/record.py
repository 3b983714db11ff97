# SPDX-License-Identifier: MIT
"""What a pack says of itself: its task, its collections, and digests of all that it holds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from kammerton.errors import Diagnostic
from kammerton.model.corpus import Collection
from kammerton.version import __version__

__all__ = [
    "KEY",
    "About",
    "Block",
    "Record",
    "RecordError",
    "Role",
    "parse_diagnostics",
    "render_diagnostics",
]

KEY = "kammerton"
"""What the metadata of the file calls the record."""

_KIND, _FORMAT = "kammerton pack", 1

Role = Literal["", "reference", "system"]
"""What a collection is to the others of its pack; nothing if it is the only one."""

_ROLES = ("", "reference", "system")


class RecordError(ValueError):
    """A record that cannot be used; ``is_later`` says whether a later version wrote it."""

    def __init__(self, message: str, *, is_later: bool = False) -> None:
        super().__init__(message)
        self.is_later = is_later


@dataclass(frozen=True, slots=True)
class Block:
    """Rows that were digested together.

    Parameters
    ----------
    rows : int
        How many.
    digest : str
        SHA-256 of their content.
    """

    rows: int
    digest: str


@dataclass(frozen=True, slots=True)
class About:
    """A collection but for its annotations.

    Parameters
    ----------
    role : role
    name, origin, single, broken, written, diagnostics
        As in :class:`kammerton.model.corpus.Collection`.
    """

    role: Role
    name: str
    origin: str
    single: bool
    broken: Mapping[str, str] = field(default_factory=dict)
    written: Mapping[str, str] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()

    @classmethod
    def of(cls, collection: Collection, role: Role) -> About:
        """Return what a pack says of a collection."""
        names = ("name", "origin", "single", "broken", "written", "diagnostics")
        return cls(role, *(getattr(collection, name) for name in names))


@dataclass(frozen=True, slots=True)
class Record:
    """What a pack says of itself.

    Parameters
    ----------
    task : str
    choices : mapping of str to str
        Those options that decide what is read, as far as they are not the defaults.
    collections : tuple of About
    blocks : tuple of Block
        What the rows were digested in, in order.
    """

    task: str
    choices: Mapping[str, str]
    collections: tuple[About, ...]
    blocks: tuple[Block, ...]

    def render(self) -> str:
        """Return the record as text."""
        plain = {
            "kind": _KIND,
            "format": _FORMAT,
            "version": __version__,
            "task": self.task,
            "choices": dict(self.choices),
            "collections": [_plain(about) for about in self.collections],
            "blocks": [[block.rows, block.digest] for block in self.blocks],
        }
        return json.dumps(plain)

    @classmethod
    def parse(cls, text: str) -> Record:
        """Read a record.

        Raises
        ------
        RecordError
            If it is none.
        """
        try:
            plain = json.loads(text)
            if not isinstance(plain, dict) or plain.get("kind") != _KIND:
                raise RecordError("not the record of a pack")
            if plain.get("format") != _FORMAT:
                raise RecordError(f"pack of form {plain.get('format')!r}", is_later=True)
            return cls(
                plain["task"],
                {**plain["choices"]},
                tuple(map(_about, plain["collections"])),
                tuple(map(_block, plain["blocks"])),
            )
        except RecordError:
            raise
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise RecordError("record is damaged") from error


def _plain(about: About) -> dict[str, Any]:
    return {
        "role": about.role,
        "name": about.name,
        "origin": about.origin,
        "single": about.single,
        "broken": dict(about.broken),
        "written": dict(about.written),
        "diagnostics": [_brief(each) for each in about.diagnostics],
    }


def _block(plain: Sequence[Any]) -> Block:
    rows, digest = plain
    if type(rows) is not int or rows < 0:
        raise RecordError("record is damaged")
    return Block(rows, str(digest))


def _about(plain: Mapping[str, Any]) -> About:
    texts = (
        plain["role"],
        plain["name"],
        plain["origin"],
        *plain["broken"].values(),
        *plain["written"].values(),
    )
    if plain["role"] not in _ROLES or not all(isinstance(text, str) for text in texts):
        raise RecordError("record is damaged")
    said = tuple(Diagnostic(**each) for each in plain["diagnostics"])
    return About(**{**plain, "diagnostics": said})


def _brief(diagnostic: Diagnostic) -> dict[str, Any]:
    """Return the fields of a diagnostic that are not what they are by default."""
    default = asdict(Diagnostic(code="", severity="note", message=""))
    found = asdict(diagnostic)
    return {
        name: value
        for name, value in found.items()
        if name in ("code", "severity", "message") or value != default[name]
    }


def render_diagnostics(diagnostics: Sequence[Diagnostic]) -> str | None:
    """Return diagnostics as text; None if there are none."""
    return json.dumps([_brief(each) for each in diagnostics]) if diagnostics else None


def parse_diagnostics(text: str | None) -> tuple[Diagnostic, ...]:
    """Return what :func:`render_diagnostics` was given.

    Raises
    ------
    RecordError
        If it gave no such text.
    """
    try:
        return () if text is None else tuple(Diagnostic(**each) for each in json.loads(text))
    except (ValueError, TypeError, RecursionError) as error:
        raise RecordError("what was said of a file cannot be read") from error
