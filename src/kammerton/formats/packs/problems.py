# SPDX-License-Identifier: MIT
"""How problems of packs are said."""

from __future__ import annotations

from kammerton.errors import DataError, Diagnostic

__all__ = ["damaged", "fault", "problem"]


def problem(code: str, message: str, file: str, hint: str | None = None) -> Diagnostic:
    """Return what is wrong with a pack, or a part of it."""
    return Diagnostic(code=code, severity="error", message=message, file=file, hint=hint)


def fault(code: str, message: str, file: str, hint: str | None = None) -> DataError:
    """Return the error that says why nothing of a pack can be used."""
    return DataError((problem(code, message, file, hint),))


def damaged(why: str, file: str) -> DataError:
    """Return the error of a pack that is not as it was written."""
    return fault("KT721", f"pack is damaged: {why}", file, "pack it again")
