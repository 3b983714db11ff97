# SPDX-License-Identifier: MIT
r"""Text that any file takes: names of files that are not UTF-8 reach us with lone surrogates.

``\udce9`` is written out, and a backslash is doubled.
"""

from __future__ import annotations

import re

__all__ = ["escaped", "unescaped"]

_TO_ESCAPE = re.compile(r"[\\\ud800-\udfff]")
_ESCAPED = re.compile(r"\\(?:\\|u([0-9a-f]{4}))")


def escaped(text: str) -> str:
    r"""Return text without lone surrogates.

    >>> print(escaped("caf\udce9"))
    caf\udce9
    """
    return _TO_ESCAPE.sub(lambda found: "\\\\" if found[0] == "\\" else f"\\u{ord(found[0]):04x}", text)


def unescaped(text: str) -> str:
    """Return what :func:`escaped` was given."""
    if "\\" not in text:
        return text
    return _ESCAPED.sub(lambda found: "\\" if found[1] is None else chr(int(found[1], 16)), text)
