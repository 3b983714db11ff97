# SPDX-License-Identifier: MIT
"""How the faults of runs are said."""

from __future__ import annotations

from kammerton.errors import DataError, Diagnostic

__all__ = ["fault"]


def fault(code: str, message: str, file: str | None = None, hint: str | None = None) -> DataError:
    """Return the error that says what is wrong with a run."""
    return DataError((Diagnostic(code=code, severity="error", message=message, file=file, hint=hint),))
