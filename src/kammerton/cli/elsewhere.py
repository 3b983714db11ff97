# SPDX-License-Identifier: MIT
"""Where an option belongs that the command at hand does not have."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from kammerton.errors import printable, quote
from kammerton.model.registry import TASKS

if TYPE_CHECKING:
    from cyclopts import App

__all__ = ["hint_of_option", "hint_of_task"]

_NEAR = 0.75
"""Likeness above which a spelling is a slip: `protcol` is `protocol`, `cite` is not `title`."""


def hint_of_option(app: App, verbs: Sequence[str], tokens: Sequence[str], option: str) -> str:
    """Return the way out for an option that a command does not have.

    Parameters
    ----------
    app : App
        The whole program.
    verbs : sequence of str
        Its verbs.
    tokens : sequence of str
        What was typed.
    option : str
        As typed.

    Returns
    -------
    str
        The commands that have the option, behind an option of this one that begins with it; or the nearest
        option of this one, if one is near.
    """
    verb, name = tokens[0], option.strip("-")
    here = f"kammerton {verb}" if verb in verbs else "kammerton"
    own: list[str] = []
    having: dict[str, list[str]] = {}
    for other in verbs:
        for command, names in _options(app, other):
            words = command.split()
            if words == list(tokens[: len(words)]):
                here, own = f"kammerton {command}", names
            if option in names:
                having.setdefault(other, []).append(command)
    near = _nearest(name.lower(), [each.strip("-") for each in own])
    if having:
        nearest = {verb: having[verb]} if verb in having else having
        found = [each for named, commands in nearest.items() for each in _together(named, commands)]
        opening = f"did you mean `--{near}`? " if near.startswith(name) else ""
        return f"{opening}{quote(option)} is an option of {_listed(found)}"
    return f"did you mean `--{near}`?" if near else f"`{here} --help` lists the options"


def _nearest(name: str, own: Sequence[str]) -> str:
    """Return the option that begins like a name or is spelled nearly so, or nothing."""
    begun = [each for each in own if len(name) > 2 and each.startswith(name)]
    return next(iter((*begun, *get_close_matches(name, own, n=1, cutoff=_NEAR))), "")


def _options(app: App, verb: str) -> Iterator[tuple[str, list[str]]]:
    """Give each command of a verb with its options."""
    tasks = [] if app[verb].default_command is not None else list(TASKS)
    commands = {f"{verb} {task}": app[verb][task] for task in tasks} or {verb: app[verb]}
    for command, its in commands.items():
        arguments = its.assemble_argument_collection()
        yield command, [name for each in arguments for name in each.names if name.startswith("-")]


def _together(verb: str, commands: Sequence[str]) -> list[str]:
    return [verb] if len(commands) == len(TASKS) else list(commands)


def _listed(commands: Sequence[str]) -> str:
    *first, last = [f"`kammerton {each}`" for each in commands]
    return f"{', '.join(first)} and {last}" if first else last


def hint_of_task(tokens: Sequence[str]) -> str:
    """Return the way out where paths stand in the place of a task."""
    verb, *rest = tokens
    task = next(iter(TASKS))
    return f"the task comes first: `kammerton {printable(shlex.join((verb, task, *rest)))}`"
