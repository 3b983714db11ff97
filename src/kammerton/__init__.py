# SPDX-License-Identifier: MIT
"""Kammerton scores music annotations: chords, piano fingering, instruments.

The names below are the public surface; each is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from kammerton.version import __version__

if TYPE_CHECKING:
    from kammerton import chords, fingering, instruments
    from kammerton.api.accumulating import Accumulator
    from kammerton.api.checking import check
    from kammerton.api.comparing import agree, compare
    from kammerton.api.files import convert, pack
    from kammerton.api.gating import gate
    from kammerton.api.pages import report, show
    from kammerton.api.scoring import score
    from kammerton.errors import DataError, Diagnostic, KammertonError, LabelError, OptionError, OutputError
    from kammerton.results.scores import Scores
    from kammerton.runs import diff, read_run, write_run
    from kammerton.scoring.keeping import keeping
    from kammerton.systems.annotating import Annotations, annotate
    from kammerton.systems.fusing import fuse
    from kammerton.systems.fusion_result import Fusion
    from kammerton.systems.scene_files import scenes
    from kammerton.systems.training import train

__all__ = [
    "Accumulator",
    "Annotations",
    "DataError",
    "Diagnostic",
    "Fusion",
    "KammertonError",
    "LabelError",
    "OptionError",
    "OutputError",
    "Scores",
    "__version__",
    "agree",
    "annotate",
    "check",
    "chords",
    "compare",
    "convert",
    "diff",
    "fingering",
    "fuse",
    "gate",
    "instruments",
    "keeping",
    "pack",
    "read_run",
    "report",
    "scenes",
    "score",
    "show",
    "train",
    "write_run",
]

_HOMES = {
    **dict.fromkeys(
        ("DataError", "Diagnostic", "KammertonError", "LabelError", "OptionError", "OutputError"),
        "kammerton.errors",
    ),
    "Accumulator": "kammerton.api.accumulating",
    **dict.fromkeys(("Annotations", "annotate"), "kammerton.systems.annotating"),
    "Fusion": "kammerton.systems.fusion_result",
    "Scores": "kammerton.results.scores",
    "agree": "kammerton.api.comparing",
    "check": "kammerton.api.checking",
    "compare": "kammerton.api.comparing",
    "convert": "kammerton.api.files",
    "diff": "kammerton.runs",
    "fuse": "kammerton.systems.fusing",
    "gate": "kammerton.api.gating",
    "keeping": "kammerton.scoring.keeping",
    "pack": "kammerton.api.files",
    "read_run": "kammerton.runs",
    "report": "kammerton.api.pages",
    "scenes": "kammerton.systems.scene_files",
    "score": "kammerton.api.scoring",
    "show": "kammerton.api.pages",
    "train": "kammerton.systems.training",
    "write_run": "kammerton.runs",
}


def __getattr__(name: str) -> object:
    if name in ("chords", "fingering", "instruments"):
        return import_module(f"kammerton.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'kammerton' has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
