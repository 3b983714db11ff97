# SPDX-License-Identifier: MIT
"""Metadata of recordings in MedleyDB, Mixing Secrets and Slakh2100: the instruments of their stems."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kammerton.errors import Diagnostic
from kammerton.formats.json_places import Pointer
from kammerton.formats.reading import Problems, such_rows
from kammerton.formats.yaml_text import YamlDocument, decode_yaml
from kammerton.instruments.finishing import STEMS, LabelList, ReadingRules, finish, leave_out_others
from kammerton.instruments.formats.source import ONE, Source, say_empty, say_unrecognised
from kammerton.instruments.options import InstrumentOptions

__all__ = ["read_metadata"]

_INSTRUMENT = "instrument"
_CLASS = "inst_class"
_RENDERED = "audio_rendered"
_HINT = "`stems` have an `instrument` each (MedleyDB), or an `inst_class` (Slakh2100)"


def read_metadata(text: str, problems: Problems, options: InstrumentOptions) -> Source | None:
    r"""Read the instruments of the stems of a recording."""
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
    entries = LabelList.of(
        labels, np.zeros(len(labels), dtype=np.int64), lambda row: document.of(pointers[row][0])
    )
    entries = leave_out_others(entries, problems)
    return Source(ONE, finish(entries, 1, problems, options, ReadingRules(repeats=True)))


class _Stems:
    """Finds the instruments of one document."""

    def __init__(self, document: YamlDocument, problems: Problems) -> None:
        self._document = document
        self._problems = problems
        self._found: list[tuple[Pointer, str]] = []

    def instruments(self) -> list[tuple[Pointer, str]]:
        """Return each instrument, and where it stands."""
        stems = self._stems()
        named = next(
            (key for key in (_INSTRUMENT, _CLASS) if any(key in stem for stem in stems.values())), ""
        )
        if stems and not named:
            self._say_unrecognised((STEMS,), f"no stem has an `{_INSTRUMENT}` or an `{_CLASS}`")
            return []
        for name in self._unrendered(stems) if named == _CLASS else ():
            del stems[name]
        for name, stem in stems.items():
            self._take(stem.get(named), (STEMS, name, named))
        return self._found

    def _stems(self) -> dict[str, dict[str, object]]:
        """Return the stems by name; report what is none."""
        value = self._document.value
        found = value.get(STEMS) if isinstance(value, dict) else None
        if not isinstance(found, dict):
            self._say_unrecognised((STEMS,), "no mapping of `stems`")
            return {}
        if not found:
            say_empty(self._problems)
        odd = [name for name, stem in found.items() if not isinstance(stem, dict)]
        for name in odd:
            self._say_unrecognised((STEMS, name), "stem is no mapping")
        return {} if odd else dict(found)

    def _say_unrecognised(self, pointer: Pointer, message: str) -> None:
        say_unrecognised(self._problems, self._document.of(pointer), message, _HINT)

    def _unrendered(self, stems: Mapping[str, Mapping[str, object]]) -> list[str]:
        """Return the stems of Slakh2100 that have no audio, and note them."""
        names = [name for name, stem in stems.items() if str(stem.get(_RENDERED)).lower() == "false"]
        if names:
            message = f"stem that was not rendered is left out{such_rows(len(names), 'such stems')}"
            note = Diagnostic(code="KT627", severity="note", message=message, count=len(names))
            self._problems.add(self._document.of((STEMS, names[0], _RENDERED)).diagnose(note))
        return names

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
