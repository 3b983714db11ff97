# SPDX-License-Identifier: MIT
"""Models that systems are trained to: arrays, and what they were made of, in one file."""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import DataError, Diagnostic, OptionError, OutputError, out_of, plural, quote, some
from kammerton.formats.remote import check_here, is_remote
from kammerton.formats.source import read_bytes
from kammerton.formats.writing import already_there, check_parent, lies_within, write_atomically
from kammerton.model.corpus import LEARNED, listed_as
from kammerton.systems.system import System

StrPath = str | os.PathLike[str]
FORMAT = 1
"""Number of the format of model files."""
_HEADER = "header"


@dataclass(frozen=True, eq=False)
class Model:
    """What a system has learned.

    Attributes
    ----------
    task, system : str
        Names of both.
    arrays : mapping of str to ndarray
        The numbers.
    header : mapping of str to object
        How it was made: settings, names of the items it was trained on, a digest of these, versions.
    diagnostics : tuple of Diagnostic
        What was noticed about the annotations when it was trained; a file does not have it.
    """

    task: str
    system: str
    arrays: Mapping[str, NDArray[Any]]
    header: Mapping[str, Any]
    diagnostics: tuple[Diagnostic, ...] = ()

    def __repr__(self) -> str:
        """Return the system, and what it was trained on."""
        return f"<Model of {self.system} ({self.task}): {self.trained_on}>"

    @property
    def trained_on(self) -> str:
        """What it was trained on, in words."""
        names = ", ".join(map(str, self.header["from"])) or "annotations in memory"
        return f"{plural(len(self.header['items']), 'item')} of {names}, data:{self.header['data']}"

    @property
    def reached(self) -> str:
        """What it reached on the items by which its training stopped, in words; empty if it has no epochs."""
        facts = self.header.get("training")
        if facts is None:
            return ""
        held = facts["validation"]
        counted = plural(len(held), "validation item") if held else "the items it was trained on"
        rates = {"agreement": facts["agreement"], **dict(sorted(facts["scores"].items()))}
        listed = ", ".join(f"{name} {100 * rate:.1f}" for name, rate in rates.items())
        return f"{counted}: {listed} %, after epoch {facts['best']} of {facts['epochs']}"

    @cached_property
    def content(self) -> bytes:
        """The file: ``.npz`` of arrays without objects; ``header`` is JSON."""
        document = json.dumps(dict(self.header), ensure_ascii=False, sort_keys=True)
        arrays = {_HEADER: np.array(document), **self.arrays}
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, array in arrays.items():
                member = io.BytesIO()
                np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)
                # the time of writing would make two files of one model differ
                archive.writestr(zipfile.ZipInfo(f"{name}.npy"), member.getvalue())
        return file.getvalue()

    @property
    def digest(self) -> str:
        """A digest of the whole, as signatures have it."""
        return hashlib.sha256(self.content).hexdigest()[:6]

    def write(self, out: StrPath, *, force: bool = False) -> None:
        """Write the model to a file.

        Parameters
        ----------
        out : path
            The file, mostly ``.npz``.
        force : bool
            Replace a file that is there.

        Raises
        ------
        OutputError
            If it cannot be written.
        """
        check_model_file(out, force=force)
        write_atomically(out, self.content)


def check_model_file(
    out: StrPath, *, force: bool, sources: Iterable[StrPath] = (), suffixes: Iterable[str] = ()
) -> None:
    """Check before any work that a model can be written there: over no source, nor where it would be one.

    ``suffixes`` are those of the files that are read in folders.
    """
    check_here(out)
    target, shown = Path(out), quote(os.fsdecode(out))
    check_parent(target, target)
    is_read = target.name.lower().endswith(tuple(suffixes))
    if is_read and any(lies_within(target, path) for path in sources if not is_remote(path)):
        raise OptionError(f"{shown} would be read as a source", "write to another file")
    if not target.exists():
        return
    if not force:
        raise already_there(shown)
    if not zipfile.is_zipfile(target):
        raise OutputError(f"KT501 cannot write {shown}: it is there already, and is no model")


def read_model(path: StrPath) -> Model:
    """Read a model from a file; nothing in it is run.

    Raises
    ------
    DataError
        If it is none.
    """
    name = os.fsdecode(path)
    try:
        with np.load(io.BytesIO(read_bytes(path, name=name)), allow_pickle=False) as file:
            arrays = {key: file[key] for key in file.files}
        header = json.loads(str(arrays.pop(_HEADER)))
        model = Model(header["task"], header["system"], arrays, header)
        is_known = header["format"] == FORMAT and isinstance(model.trained_on + model.reached, str)
    except DataError:
        raise
    except (ValueError, KeyError, TypeError, OSError, EOFError, zipfile.BadZipFile):
        raise _no_model(name, "it has no arrays with a header") from None
    if not is_known:
        raise _no_model(name, f"its format is {header['format']}, this version reads {FORMAT}")
    return model


def _no_model(name: str, reason: str) -> DataError:
    message = f"not a model: {reason}"
    return DataError((Diagnostic(code="KT808", severity="error", message=message, file=name),))


def model_of(system: System, model: object) -> object:
    """Return the model of a system that is trained; of any other, what was handed over."""
    if system.train is None:
        return model
    model = system.shipped if model is None else model
    if model is None:
        raise OptionError(f"{quote(system.name)} needs a model", "--model FILE, a file that train wrote")
    if not isinstance(model, Model):
        if not isinstance(model, str | os.PathLike):
            raise OptionError.of_type("model", model, "a path or a Model")
        model = read_model(model)
    if (model.task, model.system) != (system.task, system.name):
        raise OptionError(f"the model is for {quote(model.system)}, not for {quote(system.name)}")
    if model.header.get("version", 1) != system.version or not _has_shapes(model.arrays, system.arrays):
        raise OptionError(f"the model is of another version of {quote(system.name)}", "train it anew")
    return model


def _has_shapes(arrays: Mapping[str, NDArray[Any]], shapes: Mapping[str, tuple[int | None, ...]]) -> bool:
    """Tell whether arrays are the ones of a system, all of them finite."""
    if shapes and arrays.keys() != shapes.keys():
        return False
    alike = all(
        len(arrays[name].shape) == len(shape)
        and all(size in (None, own) for size, own in zip(shape, arrays[name].shape, strict=True))
        for name, shape in shapes.items()
    )
    return alike and all(np.isfinite(array).all() for array in arrays.values())


def items_learned(model: object, items: Sequence[str]) -> list[Diagnostic]:
    """Return a warning if a model was trained on some of the items."""
    if not isinstance(model, Model):
        return []
    learned = [item for item in items if listed_as(item, frozenset(model.header["items"])) is not None]
    if not learned:
        return []
    counted = out_of(len(learned), len(items), "item")
    message = f"by their names, the model was trained on {counted} ({some(learned)})"
    return [Diagnostic(code="KT215", severity="warning", message=message, hint=LEARNED, count=len(learned))]
