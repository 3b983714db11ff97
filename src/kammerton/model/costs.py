# SPDX-License-Identifier: MIT
"""What classes of labels cost a system: chord qualities, fingers, instruments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["ClassCost", "ClassCosts", "costs_of_confusion"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassCost:
    """What one class cost.

    Parameters
    ----------
    name : str
        Of the class.
    whole : float
        How much of it there is in the references.
    lost : float
        How much was wrong.
    instead : str
        What more of that was taken for than for anything else; empty if nothing was.
    """

    name: str
    whole: float
    lost: float
    instead: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassCosts:
    """What all classes cost a system, the dearest first.

    Parameters
    ----------
    kind : str
        What the classes are, e.g. ``"chord quality"``.
    unit : str
        Unit of what there is.
    rule : str
        What counts as lost, as a sentence.
    rows : tuple of ClassCost
    cells : mapping of (str, str) to float
        Amount by what it is, and what it was taken for.
    instead : str
        How it is said what a class was taken for.
    lost_unit : str
        Unit of what was lost; that of what there is if empty.
    by : str
        What is compared, if no measure compares just that, e.g. ``"root and tetrad"``.
    needs : str
        What must be scored for it to be known, as a sentence; empty if it is known.
    """

    kind: str
    unit: str
    rule: str
    rows: tuple[ClassCost, ...]
    cells: Mapping[tuple[str, str], float] = field(default_factory=dict)
    instead: str = "It was taken for {} most often."
    lost_unit: str = ""
    by: str = ""
    needs: str = ""

    @property
    def unit_of_loss(self) -> str:
        """Unit of what was lost."""
        return self.lost_unit or self.unit


def costs_of_confusion(cells: Mapping[tuple[str, str], float]) -> tuple[ClassCost, ...]:
    """Return what each class of a confusion cost.

    Parameters
    ----------
    cells : mapping of (str, str) to float
        Amount by what it is, and what it was taken for; right where both are equal.

    Examples
    --------
    >>> costs_of_confusion({("maj", "maj"): 5.0, ("maj", "min"): 2.0, ("min", "min"): 1.0})[0]
    ClassCost(name='maj', whole=7.0, lost=2.0, instead='min')
    """
    whole: dict[str, float] = {}
    wrong: dict[str, dict[str, float]] = {}
    for (name, taken), weight in cells.items():
        whole[name] = whole.get(name, 0.0) + weight
        if taken != name:
            of_name = wrong.setdefault(name, {})
            of_name[taken] = of_name.get(taken, 0.0) + weight
    found = [_cost(name, amount, wrong.get(name, {})) for name, amount in whole.items()]
    return tuple(sorted(found, key=lambda each: (-each.lost, each.name)))


def _cost(name: str, whole: float, wrong: Mapping[str, float]) -> ClassCost:
    instead = min(wrong, key=lambda taken: (-wrong[taken], taken), default="")
    return ClassCost(name=name, whole=whole, lost=sum(wrong.values()), instead=instead)
