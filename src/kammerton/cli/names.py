# SPDX-License-Identifier: MIT
"""``NAME=PATH`` on the command line."""

from __future__ import annotations

import os
from collections.abc import Sequence

from kammerton.errors import OptionError, quote
from kammerton.formats.collecting import name_of
from kammerton.model.corpus import ALL, check_names

__all__ = ["name_systems", "sort_annotators", "split_name"]


def split_name(argument: str) -> tuple[str | None, str]:
    """Take ``NAME=PATH`` apart; the name is None if there is none.

    What stands before the first ``=`` is a name unless it has a slash: ``./a=b`` is a path.

    Raises
    ------
    OptionError
        If the name or the path is empty.
    """
    name, equals, path = argument.partition("=")
    if not equals or "/" in name or os.sep in name:
        return None, argument
    hint = f"a path that holds `=` is written with its folder: {quote(f'./{argument}')}"
    if not name or not path:
        raise OptionError(f"expected NAME=PATH, got {quote(argument)}", hint)
    if os.path.lexists(argument) and not os.path.lexists(path):
        raise OptionError(f"no such file or folder: {quote(path)}, to be called {quote(name)}", hint)
    return name, path


def name_systems(arguments: Sequence[str]) -> dict[str, str]:
    """Return the paths of systems by name, by default the last component of the path.

    Raises
    ------
    OptionError
        If two have one name.
    """
    named = [split_name(argument) for argument in arguments]
    names = [name_of(path) if name is None else name for name, path in named]
    check_names("system", names)
    return dict(zip(names, (path for _, path in named), strict=True))


def sort_annotators(arguments: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Tell annotators that are added, ``NAME=PATH``, from the one that is chosen.

    Returns
    -------
    chosen : str
        ``"all"`` if none is.
    added : dict of str to str
        Paths by name.
    """
    named = [split_name(argument) for argument in arguments]
    chosen = [path for name, path in named if name is None]
    for each in chosen:
        if "/" in each or os.sep in each:
            raise OptionError(f"not the name of an annotator: {quote(each)}", "NAME=PATH adds a further one")
    if len(chosen) > 1:
        raise OptionError(
            f"two annotators are chosen: {quote(chosen[0])} and {quote(chosen[1])}",
            "leave out --annotator for all of them",
        )
    added = [(name, path) for name, path in named if name is not None]
    check_names("annotator", [name for name, _ in added])
    return (chosen[0] if chosen else ALL), dict(added)
