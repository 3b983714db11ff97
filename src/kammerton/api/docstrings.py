# SPDX-License-Identifier: MIT
"""Parameters as docstrings describe them: for help of the command line, and for the conformance kit."""

from __future__ import annotations

import inspect


def described_parameters(docstring: str) -> dict[str, tuple[str, str]]:
    """Return type and description of each parameter in a numpydoc docstring."""
    section = docstring.partition("\nParameters\n")[2].partition("\n\n")[0]
    described: dict[str, tuple[str, str]] = {}
    names: list[str] = []
    for line in section.splitlines()[1:]:
        if line.startswith(" "):
            described |= {
                name: (described[name][0], f"{described[name][1]} {line.strip()}") for name in names
            }
        else:
            head, _, kind = line.partition(" : ")
            names = [name.strip() for name in head.split(",")]
            described |= dict.fromkeys(names, (kind, ""))
    return {name: (kind, text.strip()) for name, (kind, text) in described.items()}


def described_fields(options: type) -> dict[str, str]:
    """Return the description of each field of a dataclass, from its docstring or from those it extends."""
    described: dict[str, str] = {}
    for ancestor in reversed(options.__mro__):
        docstring = inspect.cleandoc(ancestor.__dict__.get("__doc__") or "")
        described |= {name: text for name, (_, text) in described_parameters(docstring).items()}
    return described
