# SPDX-License-Identifier: MIT
"""Kammerton scores music annotations: chords, piano fingering, instruments."""

__version__ = "0.1.0"
