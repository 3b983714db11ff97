# SPDX-License-Identifier: MIT
"""The rules of each protocol, one file per protocol."""

from kammerton.chords.protocols import decibel, frames10ms, mir_eval, mirex2013

__all__ = ["MODULES"]

MODULES = (mirex2013, mir_eval, decibel, frames10ms)
"""In the order in which they are shown."""
