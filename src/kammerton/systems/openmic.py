# SPDX-License-Identifier: MIT
"""The file of OpenMIC-2018, ``openmic-2018.npz``: features and labels of clips, in place of recordings.

``X`` has the features of each second, shape (clips, seconds, features); ``Y_true`` and ``Y_mask``, shape
(clips, labels), how probable each label is, and whether anybody judged it; ``sample_key`` names the clips.
"""

from __future__ import annotations

import os
import pickle
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import DataError
from kammerton.formats.folders import normal_form
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.taxonomy_files import load_taxonomy

SUFFIX = ".npz"
_MODULES = frozenset(("numpy", "numpy.core.multiarray", "numpy._core.multiarray"))
_SAFE = frozenset(("_reconstruct", "ndarray", "dtype"))
"""What an array of strings is pickled by."""


@dataclass(frozen=True, eq=False)
class Clips:
    """Features of clips by item, mean and deviation over their seconds; and labels, if there are any."""

    features: Mapping[str, NDArray[np.float64]]
    lists: Mapping[str, InstrumentList]


def is_features(path: object) -> bool:
    """Return whether a file has features in place of sound."""
    return isinstance(path, str | os.PathLike) and os.fsdecode(path).lower().endswith(SUFFIX)


@lru_cache(maxsize=1)
def read_clips(path: str | os.PathLike[str]) -> Clips:
    """Read the features and labels of clips.

    Raises
    ------
    DataError
        If it is no such file.
    """
    name = os.fsdecode(path)
    try:
        with zipfile.ZipFile(path) as archive:
            arrays = {
                member.removesuffix(".npy"): _array(archive.open(member)) for member in archive.namelist()
            }
        keys = [normal_form(str(key)) for key in arrays["sample_key"].tolist()]
        frames = np.asarray(arrays["X"], dtype=np.float64)
        if frames.ndim != 3 or len(frames) != len(keys) or not np.isfinite(frames).all():
            raise ValueError("X has not a clip for each key")
        lists = _lists(arrays)
    except (
        OSError,
        ValueError,
        KeyError,
        TypeError,
        EOFError,
        pickle.UnpicklingError,
        zipfile.BadZipFile,
    ) as error:
        raise DataError.of("KT824", f"not a file of features: {error}", name) from error
    rows = np.hstack((frames.mean(axis=1), frames.std(axis=1)))
    return Clips(dict(zip(keys, rows, strict=True)), dict(zip(keys, lists, strict=False)))


def _lists(arrays: Mapping[str, NDArray[Any]]) -> list[InstrumentList]:
    """Return the judged labels of each clip: those at least as probable as not are present."""
    if "Y_true" not in arrays:
        return []
    labels = np.array(sorted(load_taxonomy("openmic-2018").leaves))
    if arrays["Y_true"].shape[1:] != labels.shape or arrays["Y_mask"].shape != arrays["Y_true"].shape:
        raise ValueError("Y_true and Y_mask have not 20 labels for each clip")
    return [
        InstrumentList(
            tuple(labels[judged & (chances >= 0.5)].tolist()),
            absent=tuple(labels[judged & (chances < 0.5)].tolist()),
            closed=False,
        )
        for chances, judged in zip(arrays["Y_true"], arrays["Y_mask"].astype(bool), strict=True)
    ]


class _Strings(pickle.Unpickler):
    """Reads arrays of strings, and runs nothing else that a file names."""

    def find_class(self, module: str, name: str) -> Any:
        """Return what makes an array."""
        if module in _MODULES and name in _SAFE:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"it names {module}.{name}")


def _array(file: IO[bytes]) -> NDArray[Any]:
    """Read an array, of strings as the file of OpenMIC-2018 has them, too."""
    with file:
        version = np.lib.format.read_magic(file)
        header = (
            np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        )
        shape, _, dtype = header(file)
        if dtype.hasobject:
            return np.asarray(_Strings(file).load()).reshape(shape)
        content = np.frombuffer(file.read(), dtype=dtype)
        return content.reshape(shape)
