# SPDX-License-Identifier: MIT
"""Folders of annotations that a system made: how they are written, and the record of their making."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from kammerton.errors import OptionError, OutputError, quote
from kammerton.formats.remote import check_here, is_remote
from kammerton.formats.writing import already_there, check_parent, lies_within, replacing_folder
from kammerton.version import __version__

RECORD = "kammerton.json"
"""The record in a folder of annotations that a system made."""

StrPath = str | os.PathLike[str]


def check_folder(folder: StrPath, inputs: Iterable[StrPath], *, force: bool) -> None:
    """Check before any work that annotations can be written there, and replace nothing but such a folder."""
    check_here(folder)
    target, shown = Path(folder), quote(os.fsdecode(folder))
    for path in inputs:
        if not path or is_remote(path) or not os.path.exists(path):  # noqa: PTH110 - it never raises
            continue
        name = quote(os.fsdecode(path))
        if lies_within(target, path):
            raise OptionError(f"{shown} lies within a source, {name}", "write to another folder")
        if lies_within(path, target):
            raise OptionError(f"{shown} holds a source, {name}", "write to another folder")
    check_parent(target, target)
    if not target.exists():
        return
    if not target.is_dir():
        raise OutputError(f"KT501 cannot write {shown}: it is a file")
    names = {path.name for path in target.iterdir()}
    if names and RECORD not in names:
        raise OutputError(f"KT503 cannot write {shown}: it holds other things\n  help: write to a new folder")
    if names and not force:
        raise already_there(shown)


def write_folder(folder: StrPath, files: Iterable[tuple[str, str]], record: Mapping[str, Any]) -> None:
    """Write a folder of files, by name and text, with the record of their making: whole or not at all."""
    whole = {"kammerton": __version__, **record}
    with replacing_folder(folder) as new:
        for name, text in files:
            place = new / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode("utf-8", "surrogateescape"))
        document = json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False)
        (new / RECORD).write_bytes(f"{document}\n".encode())
