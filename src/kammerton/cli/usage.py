# SPDX-License-Identifier: MIT
"""Mistakes on the command line, said as every other mistake is."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from kammerton.cli.elsewhere import hint_of_task
from kammerton.errors import OptionError, close_match, printable, quote

if TYPE_CHECKING:
    from cyclopts import CycloptsError

__all__ = ["as_option_error", "check_command"]

_HINT = re.compile(r"\s*(Did you mean .*|Choose from: .*|Available commands: .*)", re.DOTALL)
_SURPLUS = re.compile(r"Unused Tokens: \[(.*)\]", re.DOTALL)
_STRANGER = re.compile(r'Unknown (?:option: |command )"?(--?[^\s"=]*[^\s"=.])')
_PIPE = re.compile(r'Unknown option: "?-"?\.')
_COMMAND = re.compile(r'Command "[^"]*" parameter ')


def as_option_error(
    error: CycloptsError, tokens: Sequence[str], hint_of_option: Callable[[str], str]
) -> OptionError:
    """Return a mistake that the parser found in the form of our own: lower-case, one line, a hint.

    Parameters
    ----------
    error : CycloptsError
    tokens : sequence of str
        What was typed.
    hint_of_option : callable
        Takes an option that the command does not have, and returns where it belongs.
    """
    text = str(error).strip()
    if _PIPE.match(text):
        return OptionError("nothing is read from standard input", "save it, and name the file or folder")
    stranger = _STRANGER.match(text)
    if stranger:
        option = stranger.group(1)
        return OptionError(f"unknown option: {printable(option)}", hint_of_option(option))
    if error.command_chain:  # below a verb, commands are tasks
        text = text.replace("Unknown command", "Unknown task").replace("Available commands", "Choose from")
    surplus = _SURPLUS.match(text)
    if surplus:
        return OptionError(f"arguments that nothing takes: {printable(surplus.group(1))}")
    text = _COMMAND.sub("", text)
    hint = _HINT.search(text)
    if error.command_chain and text.startswith("Unknown task") and _is_path(tokens[1]):
        known = "" if hint is None else f"; {_as_hint(hint.group(1))}"
        return OptionError(f"unknown task {quote(tokens[1])}", hint_of_task(tokens) + known)
    message = (text[: hint.start()] if hint else text).strip().rstrip(".")
    if not message[1:2].isupper():
        message = message[:1].lower() + message[1:]
    message = printable(message).replace('"', "`")
    return OptionError(message, None if hint is None else _as_hint(hint.group(1)))


def _is_path(token: str) -> bool:
    return "/" in token or os.sep in token or os.path.lexists(token)


def _as_hint(text: str) -> str:
    """Turn the parser's advice round: the suggestion first, then the choices."""
    choices, _, suggestion = text.partition("Did you mean ")
    listed = choices.strip().removeprefix("Choose from: ").removeprefix("Available commands: ").rstrip(". ")
    near = suggestion.partition("?")[0].strip('" ')
    parts = [f"did you mean `{near}`?"] if near else []
    return " ".join([*parts, *([f"known: {listed.replace(chr(34), '')}"] if listed else [])])


def check_command(kind: str, token: str | None, known: Sequence[str]) -> None:
    """Refuse a verb or task that does not exist, or is not there; an option may stand in its place.

    Raises
    ------
    OptionError
        With the nearest name.
    """
    if token is None:
        raise OptionError(f"which {kind}?", f"known: {', '.join(known)}")
    if token in known or token.startswith("-"):
        return
    near = close_match(token, known)
    hint = f"known: {', '.join(known)}"
    raise OptionError(f"unknown {kind} {quote(token)}", f"did you mean `{near}`? {hint}" if near else hint)
