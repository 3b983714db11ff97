# SPDX-License-Identifier: MIT
"""Metadata of recordings in MedleyDB and Mixing Secrets: the instruments of their stems."""

from __future__ import annotations

import numpy as np

from kammerton.errors import Diagnostic
from kammerton.formats.json_positions import Pointer
from kammerton.formats.reading import Problems
from kammerton.formats.yaml_text import YamlDocument, decode_yaml
from kammerton.instruments.assembling import Manner
from kammerton.instruments.entries import Entries
from kammerton.instruments.finishing import finish
from kammerton.instruments.formats.source import ONE, Source, say_empty, say_unrecognised
from kammerton.instruments.formats.stems import STEMS, leave_out_others
from kammerton.instruments.options import InstrumentOptions

__all__ = ["read_metadata"]

_INSTRUMENT = "instrument"
_HINT = "metadata of MedleyDB has `stems`, each with an `instrument`"


def read_metadata(text: str, problems: Problems, options: InstrumentOptions) -> Source | None:
    r"""Read the instruments of the stems of a recording.

    Parameters
    ----------
    text : str
        YAML, lines ended by ``\n``.
    problems : Problems
        Takes every problem found.
    options : InstrumentOptions

    Returns
    -------
    Source or None
        A set. A stem may have several instruments, and several stems the same.
    """
    document = decode_yaml(text, problems, options.limits)
    if document is None:
        return None
    if document.value is None:
        say_empty(problems)
        return None
    pointers = _Stems(document, problems).instruments()
    if problems.has_errors:
        return None
    labels = [label for _, label in pointers]
    entries = Entries.of(
        labels, np.zeros(len(labels), dtype=np.int64), lambda row: document.of(pointers[row][0])
    )
    entries = leave_out_others(entries, problems)
    return Source(ONE, finish(entries, 1, problems, options, Manner(repeats=True)))


class _Stems:
    """Finds the instruments of one document."""

    def __init__(self, document: YamlDocument, problems: Problems) -> None:
        self._document = document
        self._problems = problems
        self._found: list[tuple[Pointer, str]] = []

    def instruments(self) -> list[tuple[Pointer, str]]:
        """Return each instrument, and where it stands."""
        value = self._document.value
        stems = value.get(STEMS) if isinstance(value, dict) else None
        if not isinstance(stems, dict):
            place = self._document.of((STEMS,))
            say_unrecognised(self._problems, place, "no mapping of `stems`", _HINT)
            return []
        for name, stem in stems.items():
            if not isinstance(stem, dict):
                place = self._document.of((STEMS, name))
                say_unrecognised(self._problems, place, "stem is no mapping", _HINT)
            else:
                self._take(stem.get(_INSTRUMENT), (STEMS, name, _INSTRUMENT))
        return self._found

    def _take(self, value: object, pointer: Pointer) -> None:
        """Take up the instrument, or the instruments, of a stem."""
        if isinstance(value, list):
            for index, each in enumerate(value):
                self._take(each, (*pointer, index))
        elif isinstance(value, str) and value.strip():
            self._found.append((pointer, value))
        elif value is None or isinstance(value, str):
            message = "stem without an instrument is left out"
            note = Diagnostic(code="KT627", severity="note", message=message)
            self._problems.add(self._document.of(pointer).diagnose(note))
        else:
            message = "label must be a string, not a mapping"
            problem = Diagnostic(code="KT619", severity="error", message=message)
            self._problems.add(self._document.of(pointer).diagnose(problem))
