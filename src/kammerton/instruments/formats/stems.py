# SPDX-License-Identifier: MIT
"""Instruments of the stems of a recording, as MedleyDB and Mixing Secrets describe them."""

from __future__ import annotations

import numpy as np

from kammerton.errors import Diagnostic, quote
from kammerton.formats.reading import Problems
from kammerton.instruments.entries import Entries

__all__ = ["NO_INSTRUMENTS", "STEMS", "leave_out_others"]

STEMS = "stems"
"""Member of the metadata that lists the stems."""

NO_INSTRUMENTS = ("Main System", "Unlabeled")
"""What stands for the instrument of a stem where there is none, or nobody knows it."""


def leave_out_others(entries: Entries, problems: Problems) -> Entries:
    """Return entries without those that name no instrument, which are noted."""
    for name in NO_INSTRUMENTS:
        codes = [code for code, spelling in enumerate(entries.spellings) if spelling.strip() == name]
        found = np.flatnonzero(np.isin(entries.codes, codes))
        if len(found):
            message = f"{quote(name)} names no instrument, and is left out"
            note = Diagnostic(code="KT627", severity="note", message=message, count=len(found))
            problems.add(entries.locate(int(found[0])).diagnose(note))
            entries = entries.take(np.setdiff1d(np.arange(len(entries.codes)), found))
    return entries
