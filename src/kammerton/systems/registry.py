# SPDX-License-Identifier: MIT
"""Which systems there are: baselines, fusion, and those that other packages declare.

A package adds one by an entry point of the group ``kammerton.systems``, whose name is that of the system and
whose value is its :class:`System` record::

    [project.entry-points."kammerton.systems"]
    tonic = "tonic:SYSTEM"
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, fields
from typing import Any

from kammerton.errors import OptionError, quote
from kammerton.model.registry import TASKS, declared, find_task, load_record, package_of
from kammerton.model.task import Task
from kammerton.results.tables import plain
from kammerton.systems.baselines import BASELINES, PREFIX, baseline
from kammerton.systems.chord_alignment import SHEET
from kammerton.systems.chord_audio import AUDIO
from kammerton.systems.chord_hmm import AUDIO_HMM
from kammerton.systems.chord_sheets import SHEET_ORDER
from kammerton.systems.chord_symbolic import SYMBOLIC
from kammerton.systems.fingering_hmm import HMMS
from kammerton.systems.fingering_nets import NETS
from kammerton.systems.fingering_rules import RULES
from kammerton.systems.fusing import FUSED_TASKS, fusion_system
from kammerton.systems.instrument_audio import INSTRUMENTS_AUDIO
from kammerton.systems.instrument_symbolic import INSTRUMENTS_SYMBOLIC
from kammerton.systems.models import Model
from kammerton.systems.system import TAKES, System

_GROUP = "kammerton.systems"
DEFAULT_SYSTEMS = {"fingering": "rules"}
"""The system that the command line runs if none is named: one that needs no model."""


def find_system(task: Task, system: str | System) -> System:
    """Return the system of a task that is called so; a :class:`System` record is taken as it is.

    Raises
    ------
    OptionError
        If there is no such system, it is one of another task, or its package cannot be imported.
    """
    if isinstance(system, System):
        return _checked(task, system)
    if not isinstance(system, str):
        raise OptionError.of_type("system", system, "a name or a System")
    if system.startswith(PREFIX):
        return baseline(task, system.removeprefix(PREFIX))
    built_in = {known.name: known for known in _built_in(task.name)}
    others = declared(_GROUP)
    if system in built_in:
        return built_in[system]
    if system not in others:
        raise OptionError.unknown("system", system, (*built_in, *others))
    return _checked(task, load_record("system", others[system], System))


def _checked(task: Task, system: System) -> System:
    if system.task != task.name:
        raise OptionError(f"the system {quote(system.name)} is for {system.task}, not for {task.name}")
    for kind in system.takes:
        if kind not in TAKES:
            raise OptionError.unknown(f"input of the system {quote(system.name)}", kind, TAKES)
    return system


def _built_in(task: str) -> Iterator[System]:
    """Give the systems of a task that are built in."""
    if task == "fingering":
        yield RULES
        yield from HMMS
        yield from NETS
    if task in FUSED_TASKS:
        yield fusion_system(task)
    if task == "chords":
        yield AUDIO
        yield AUDIO_HMM
        yield SHEET
        yield SHEET_ORDER
        yield SYMBOLIC
    if task == "instruments":
        yield INSTRUMENTS_AUDIO
        yield INSTRUMENTS_SYMBOLIC
    for name in BASELINES.get(task, ()):
        yield baseline(find_task(task), name)


def known_systems() -> tuple[list[tuple[System, str]], list[OptionError]]:
    """Return all systems, each with the package that declares it, and why others cannot be used."""
    systems = [(system, "") for task in TASKS for system in _built_in(task)]
    broken = []
    for entries in declared(_GROUP).values():
        try:
            systems.append((load_record("system", entries, System), package_of(entries[0])))
        except OptionError as error:
            broken.append(error)
    return systems, broken


def described(system: System, package: str) -> dict[str, Any]:
    """Return a system, and its card, as plain values."""
    settings = {field.name: field.default for field in fields(system.options)}
    return {
        "system": system.name,
        "task": system.task,
        "takes": sorted(system.takes),
        **asdict(system.card),
        "settings": plain(settings),
        "package": package or "kammerton",
        "extra": system.extra,
    }


def described_model(model: Model) -> dict[str, Any]:
    """Return the card of a model: that of its system, with what it was itself trained on and reached."""
    system = find_system(find_task(model.task), model.system)
    return {
        **described(system, package_of_system(system)),
        "trained_on": model.trained_on,
        "levels": [model.reached] if model.reached else [],
        "settings": model.header["settings"],
    }


def is_built_in(system: System) -> bool:
    """Return whether a system is one of ours."""
    return any(system.name == own.name and system.card == own.card for own in _built_in(system.task))


def package_of_system(system: System) -> str:
    """Return the package that declares a system; nothing of one that is built in, or handed over."""
    entries = declared(_GROUP).get(system.name, [])
    return package_of(entries[0]) if len(entries) == 1 else ""
