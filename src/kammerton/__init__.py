# SPDX-License-Identifier: MIT
"""Kammerton scores music annotations: chords, piano fingering, instruments.

The names below are the public surface; each is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from kammerton.version import __version__

if TYPE_CHECKING:
    from kammerton import chords, fingering, instruments
    from kammerton.agreeing import agree
    from kammerton.api import score
    from kammerton.checking import check
    from kammerton.comparing import compare
    from kammerton.conversion import convert
    from kammerton.engine import keeping
    from kammerton.errors import DataError, Diagnostic, KammertonError, LabelError, OptionError, OutputError
    from kammerton.model.scores import Scores
    from kammerton.packing import pack
    from kammerton.publishing import report
    from kammerton.runs import diff, read_run, write_run
    from kammerton.showing import show

__all__ = [
    "DataError",
    "Diagnostic",
    "KammertonError",
    "LabelError",
    "OptionError",
    "OutputError",
    "Scores",
    "__version__",
    "agree",
    "check",
    "chords",
    "compare",
    "convert",
    "diff",
    "fingering",
    "instruments",
    "keeping",
    "pack",
    "read_run",
    "report",
    "score",
    "show",
    "write_run",
]

_HOMES = {
    **dict.fromkeys(
        ("DataError", "Diagnostic", "KammertonError", "LabelError", "OptionError", "OutputError"),
        "kammerton.errors",
    ),
    "Scores": "kammerton.model.scores",
    "agree": "kammerton.agreeing",
    "check": "kammerton.checking",
    "compare": "kammerton.comparing",
    "convert": "kammerton.conversion",
    "diff": "kammerton.runs",
    "keeping": "kammerton.engine",
    "pack": "kammerton.packing",
    "read_run": "kammerton.runs",
    "report": "kammerton.publishing",
    "score": "kammerton.api",
    "show": "kammerton.showing",
    "write_run": "kammerton.runs",
}


def __getattr__(name: str) -> object:
    if name in ("chords", "fingering", "instruments"):
        return import_module(f"kammerton.{name}")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'kammerton' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
