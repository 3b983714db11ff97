# SPDX-License-Identifier: MIT
"""Recordings that a page holds, so that its items can be heard."""

from __future__ import annotations

import base64
import io
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from kammerton.errors import OptionError
from kammerton.formats.folders import find_files

Recordings = str | os.PathLike[str] | Mapping[str, str | os.PathLike[str]]
_RATE = 16000


def recordings_of(recordings: Recordings | None) -> dict[str, Path]:
    """Return the recording of each item, of a folder or a mapping."""
    from kammerton.systems.audio import require_soundfile  # noqa: PLC0415 - most pages are silent
    from kammerton.systems.system import SUFFIXES  # noqa: PLC0415

    if recordings is None:
        return {}
    require_soundfile()
    if isinstance(recordings, Mapping):
        return {item: Path(path) for item, path in recordings.items()}
    if not isinstance(recordings, str | os.PathLike):
        raise OptionError.of_type("recordings", recordings, "a path or a mapping")
    return {
        item: paths[0] for item, paths in find_files(recordings, suffixes=SUFFIXES["audio"]).files.items()
    }


def sound_of(path: Path) -> str:
    """Return a recording as an address that has all of it: one channel, as MP3."""
    from kammerton.systems.audio import read_blocks, require_soundfile  # noqa: PLC0415 - as above

    samples = np.concatenate([np.zeros(0, dtype=np.float32), *read_blocks(path, _RATE)])
    file = io.BytesIO()
    require_soundfile().write(file, samples, _RATE, format="MP3", subtype="MPEG_LAYER_III")
    return f"data:audio/mpeg;base64,{base64.b64encode(file.getvalue()).decode('ascii')}"
