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
    from kammerton.api.checking import Checked, check
    from kammerton.api.comparing import agree, compare
    from kammerton.api.files import Converted, Packed, convert, pack
    from kammerton.api.gating import GateResult, gate
    from kammerton.api.lookup import Example, example, measures
    from kammerton.api.pages import report, show
    from kammerton.api.scoring import score
    from kammerton.errors import DataError, Diagnostic, KammertonError, LabelError, OptionError, OutputError
    from kammerton.model.views import ItemView
    from kammerton.reporting.explanations import explain
    from kammerton.results.agreement import AnnotatorAgreement as Agreement
    from kammerton.results.comparison import SystemComparison as Comparison
    from kammerton.results.scores import Scores
    from kammerton.runs import diff, read_run, write_run
    from kammerton.runs.diff import RunDifference as Difference
    from kammerton.scoring.keeping import keeping
    from kammerton.systems.annotating import Annotations, annotate
    from kammerton.systems.fusing import fuse
    from kammerton.systems.fusion_result import Fusion
    from kammerton.systems.models import Model
    from kammerton.systems.scene_files import scenes
    from kammerton.systems.scenes import Scene
    from kammerton.systems.training import train

__all__ = [
    "Accumulator",
    "Agreement",
    "Annotations",
    "Checked",
    "Comparison",
    "Converted",
    "DataError",
    "Diagnostic",
    "Difference",
    "Example",
    "Fusion",
    "GateResult",
    "ItemView",
    "KammertonError",
    "LabelError",
    "Model",
    "OptionError",
    "OutputError",
    "Packed",
    "Scene",
    "Scores",
    "__version__",
    "agree",
    "annotate",
    "check",
    "chords",
    "compare",
    "convert",
    "diff",
    "example",
    "explain",
    "fingering",
    "fuse",
    "gate",
    "instruments",
    "keeping",
    "measures",
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
    "Agreement": "kammerton.results.agreement",
    "Checked": "kammerton.api.checking",
    "Comparison": "kammerton.results.comparison",
    "Converted": "kammerton.api.files",
    "Difference": "kammerton.runs.diff",
    "Example": "kammerton.api.lookup",
    "GateResult": "kammerton.api.gating",
    "ItemView": "kammerton.model.views",
    "Model": "kammerton.systems.models",
    "Packed": "kammerton.api.files",
    "Scene": "kammerton.systems.scenes",
    "example": "kammerton.api.lookup",
    "explain": "kammerton.reporting.explanations",
    "measures": "kammerton.api.lookup",
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


_INTERNAL = {
    "Agreement": "AnnotatorAgreement",
    "Comparison": "SystemComparison",
    "Difference": "RunDifference",
}
"""What the modules call them, where the name is short for users."""


def __getattr__(name: str) -> object:
    if name in ("chords", "fingering", "instruments"):
        return import_module(f"kammerton.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'kammerton' has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), _INTERNAL.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
