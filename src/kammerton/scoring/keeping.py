# SPDX-License-Identifier: MIT
"""Finished shards on disk, from which a stopped run is resumed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic, OutputError, quote
from kammerton.formats.writing import clear_left, write_atomically
from kammerton.model.evidence import ExactTally, Rows, State
from kammerton.model.measure import Gathered, Measure
from kammerton.scoring.evaluating import KernelResults, PartialEvidence
from kammerton.scoring.loading import AnnotatorNames, Assumptions, CorpusSurvey
from kammerton.scoring.sanity_checks import DistantEnds, IdenticalEstimates, SanityChecks

__all__ = ["Store", "TornError", "decode_part", "encode_part", "keeping"]

_MAGIC = b"kammerton part 3\n"
_DIGEST = hashlib.sha256().digest_size
_LENGTH = 8


class TornError(ValueError):
    """Bytes that are no part, or only a part of one."""


class _Written:
    """Texts and arrays, to which the rest of a part refers by number; equal texts are stored once."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}
        self.arrays: list[NDArray[Any]] = []

    def text(self, text: str) -> int:
        return self.texts.setdefault(text, len(self.texts))

    def array(self, values: NDArray[Any]) -> int:
        self.arrays.append(np.ascontiguousarray(values))
        return len(self.arrays) - 1

    def numbers(self, values: Iterable[int]) -> int:
        return self.array(np.array(list(values), dtype=np.int64))

    def names(self, texts: Iterable[str]) -> int:
        return self.numbers(map(self.text, texts))


def encode_part(part: PartialEvidence) -> bytes:
    """Return a part as bytes."""
    written = _Written()
    body = {
        "items": written.names(part.items),
        "survey": {
            "annotators": _plain_names(part.survey.annotators),
            "counts": dict(part.survey.counts),
        },
        "assumptions": {
            "measures": list(map(str, part.assumptions.measures)),
            "annotators": _plain_names(part.assumptions.annotators),
            "named": part.assumptions.named,
        },
        "results": None if part.results is None else _plain_results(part.results, written),
        "fingerprints": _plain_fingerprints(part.fingerprints, written),
        "sanity checks": _plain_checks(part.sanity_checks),
        "diagnostics": [
            [*section, [asdict(diagnostic) for diagnostic in diagnostics]]
            for section, diagnostics in part.diagnostics.items()
        ],
        "paired": part.paired,
        "ended": part.ended,
    }
    arrays = [(each.dtype.str, each.shape) for each in written.arrays]
    head = json.dumps({"part": body, "texts": list(written.texts), "arrays": arrays}).encode("ascii")
    data = b"".join((len(head).to_bytes(_LENGTH, "big"), head, *(each.tobytes() for each in written.arrays)))
    return _MAGIC + hashlib.sha256(data).digest() + data


def _plain_names(annotators: Iterable[AnnotatorNames]) -> list[Any]:
    return [[names.crowded, names.several, sorted(names.names)] for names in annotators]


def _plain_results(results: KernelResults, written: _Written) -> dict[str, Any]:
    return {
        "rows": {needs: _plain_rows(rows, written) for needs, rows in results.rows.items()},
        "statistics": {str(measure): written.array(values) for measure, values in results.statistics.items()},
        "tallies": {name: _plain_tally(tally, written) for name, tally in results.tallies.items()},
        "gathered": None if results.gathered is None else _plain_gathered(results.gathered, written),
    }


def _plain_rows(rows: Rows, written: _Written) -> dict[str, Any]:
    return {
        "items": written.names(rows.items),
        "groups": rows.groups,
        "group_codes": written.array(rows.group_codes),
        "states": rows.states,
        "state_codes": written.array(rows.state_codes),
    }


def _plain_tally(tally: ExactTally, written: _Written) -> dict[str, Any]:
    terms = [terms for cells in tally.cells.values() for terms in cells.values()]
    return {
        "columns": tally.columns,
        "unit": tally.unit,
        "cells": [[*group, list(cells)] for group, cells in tally.cells.items()],
        "counts": written.numbers(map(len, terms)),
        "terms": written.array(np.array([each for cell in terms for each in cell], dtype=np.float64)),
    }


def _plain_gathered(gathered: Gathered, written: _Written) -> dict[str, Any]:
    return {
        "columns": gathered.columns,
        "classes": gathered.classes,
        "units": gathered.units,
        "cases": written.array(gathered.cases),
        "codes": written.array(gathered.codes),
        "unit_codes": written.array(gathered.unit_codes),
        "values": written.array(gathered.values),
    }


def _plain_fingerprints(fingerprints: Mapping[tuple[str, str], bytes], written: _Written) -> list[int]:
    return [
        written.names(annotator for annotator, _ in fingerprints),
        written.names(item for _, item in fingerprints),
        written.array(np.frombuffer(b"".join(fingerprints.values()), dtype=np.uint8)),
    ]


def _plain_checks(checks: SanityChecks) -> dict[str, Any]:
    return {
        "identical": [
            [*group, same.count, same.references, same.first] for group, same in checks.identical.items()
        ],
        "distant": [[*group, ends.count, ends.furthest] for group, ends in checks.distant.items()],
        "unequal": sorted(checks.unequal),
        "empty": sorted(checks.empty),
    }


class _Read:
    """Texts and arrays of a part that is read."""

    def __init__(self, texts: list[str], arrays: list[NDArray[Any]]) -> None:
        self._texts, self._arrays = texts, arrays

    def array(self, number: int) -> Any:
        return self._arrays[number]

    def names(self, number: int) -> list[str]:
        return list(map(self._texts.__getitem__, self._arrays[number].tolist()))


def decode_part(data: bytes, measures: Iterable[Measure]) -> PartialEvidence:
    """Return the part that bytes stand for."""
    start = len(_MAGIC) + _DIGEST
    body = memoryview(data)[start:]
    if not data.startswith(_MAGIC) or hashlib.sha256(body).digest() != data[len(_MAGIC) : start]:
        raise TornError("no whole part")
    try:
        return _decoded(body, measures)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:  # made by others
        raise TornError("no part") from error


def _decoded(body: memoryview, measures: Iterable[Measure]) -> PartialEvidence:
    end = _LENGTH + int.from_bytes(body[:_LENGTH], "big")
    head = json.loads(bytes(body[_LENGTH:end]))
    read = _Read(head["texts"], list(_arrays(body[end:], head["arrays"])))
    part, known = head["part"], {str(measure): measure for measure in measures}
    return PartialEvidence(
        items=tuple(read.names(part["items"])),
        survey=CorpusSurvey(_names(part["survey"]["annotators"]), part["survey"]["counts"]),
        assumptions=Assumptions(
            tuple(known[name] for name in part["assumptions"]["measures"]),
            _names(part["assumptions"]["annotators"]),
            part["assumptions"]["named"],
        ),
        results=None if part["results"] is None else _results(part["results"], read, known),
        fingerprints=_fingerprints(part["fingerprints"], read),
        sanity_checks=_checks(part["sanity checks"]),
        diagnostics={
            (step, whose): [Diagnostic(**fields) for fields in diagnostics]
            for step, whose, diagnostics in part["diagnostics"]
        },
        paired=part["paired"],
        ended=part["ended"],
    )


def _arrays(body: memoryview, described: Iterable[tuple[str, list[int]]]) -> Iterable[NDArray[Any]]:
    begin = 0
    for kind, shape in described:
        found = np.frombuffer(body, dtype=kind, count=int(np.prod(shape, dtype=np.int64)), offset=begin)
        begin += found.nbytes
        yield found.reshape(shape)


def _names(plain: Iterable[Any]) -> tuple[AnnotatorNames, ...]:
    return tuple(AnnotatorNames(crowded, several, frozenset(names)) for crowded, several, names in plain)


def _fingerprints(plain: Sequence[int], read: _Read) -> dict[tuple[str, str], bytes]:
    annotators, items, whole = read.names(plain[0]), read.names(plain[1]), read.array(plain[2]).tobytes()
    digests = [whole[at : at + _DIGEST] for at in range(0, len(whole), _DIGEST)]
    return dict(zip(zip(annotators, items, strict=True), digests, strict=True))


def _results(plain: Mapping[str, Any], read: _Read, known: Mapping[str, Measure]) -> KernelResults:
    gathered = plain["gathered"]
    return KernelResults(
        {needs: _rows(rows, read) for needs, rows in plain["rows"].items()},
        {known[name]: read.array(number) for name, number in plain["statistics"].items()},
        {name: _tally(tally, read) for name, tally in plain["tallies"].items()},
        None if gathered is None else _gathered(gathered, read),
    )


def _rows(plain: Mapping[str, Any], read: _Read) -> Rows:
    return Rows.made(
        read.names(plain["items"]),
        [(system, annotator) for system, annotator in plain["groups"]],
        read.array(plain["group_codes"]),
        [State(*state) for state in plain["states"]],
        read.array(plain["state_codes"]),
    )


def _tally(plain: Mapping[str, Any], read: _Read) -> ExactTally:
    terms, counts = read.array(plain["terms"]).tolist(), iter(read.array(plain["counts"]).tolist())
    tally = ExactTally(tuple(plain["columns"]), plain["unit"])
    begin = 0
    for system, annotator, cells in plain["cells"]:
        into = tally.cells.setdefault((system, annotator), {})
        for classes in cells:
            end = begin + next(counts)
            into[tuple(classes)] = terms[begin:end]
            begin = end
    return tally


def _gathered(plain: Mapping[str, Any], read: _Read) -> Gathered:
    return Gathered(
        tuple(plain["columns"]),
        read.array(plain["cases"]),
        tuple(plain["classes"]),
        read.array(plain["codes"]),
        tuple(plain["units"]),
        read.array(plain["unit_codes"]),
        read.array(plain["values"]),
    )


def _checks(plain: Mapping[str, Any]) -> SanityChecks:
    return SanityChecks(
        {
            (system, annotator): IdenticalEstimates(count, references, first)
            for system, annotator, count, references, first in plain["identical"]
        },
        {
            (system, annotator): DistantEnds(count, (float(furthest[0]), *furthest[1:]))
            for system, annotator, count, furthest in plain["distant"]
        },
        frozenset((first, second) for first, second in plain["unequal"]),
        frozenset(plain["empty"]),
    )


try:
    import fcntl
except ImportError:  # not on Windows, where nobody is kept out
    fcntl = None  # type: ignore[assignment]
_LOCK = "lock"
_ATTEMPTS = 1_000
"""Attempts to make a folder that others may remove meanwhile."""
_SUFFIX = ".part"


class Store:
    """Finished parts in a folder; each file is named by its key, and begins with it, lest it be renamed.

    Attributes
    ----------
    found, kept : int
        How many were there, and how many were written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.found: int = 0
        self.kept: int = 0

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}{_SUFFIX}"

    def find(self, key: str, measures: Iterable[Measure]) -> PartialEvidence | None:
        """Return the part of this key, if it is there and whole; one that is torn or another goes."""
        path, own = self._path(key), key.encode("ascii")
        try:
            part = decode_part(_behind(own, path.read_bytes()), measures)
        except FileNotFoundError:
            return None
        except TornError:
            path.unlink()
            return None
        self.found += 1
        return part

    def keep(self, key: str, part: bytes | PartialEvidence) -> None:
        """Write a part so that it is there whole, or not at all."""
        data = encode_part(part) if isinstance(part, PartialEvidence) else part
        write_atomically(self._path(key), key.encode("ascii") + data, clear=False)
        self.kept += 1


def _behind(key: bytes, data: bytes) -> bytes:
    if not data.startswith(key):
        raise TornError("the part of another key")
    return data[len(key) :]


@contextmanager
def keeping(run: str | os.PathLike[str] | None) -> Iterator[Store | None]:
    """Keep what is finished of a run beside it, until it is written.

    After an interruption, the same call resumes: it scores only what is missing. The finished parts are
    deleted once the run is written; what a killed writer left beside the run is deleted at once.

    Parameters
    ----------
    run : path, optional
        Where the run is to be written; without it nothing is kept.

    Returns
    -------
    context manager of Store or None
        For :func:`kammerton.score`.

    Raises
    ------
    OutputError
        KT501 if there can be no folder beside the run, KT504 if somebody else is writing it.

    Examples
    --------
    >>> import tempfile, kammerton
    >>> ref = {"song": ([(0, 2), (2, 4)], ["C", "G:7"])}
    >>> with tempfile.TemporaryDirectory() as folder, keeping(f"{folder}/run") as store:
    ...     scores = kammerton.score("chords", ref, {"mine": ref}, store=store)
    ...     kammerton.write_run(scores, f"{folder}/run")
    ()
    """
    if run is None:
        yield None
        return
    target = Path(os.path.realpath(run))
    folder = target.with_name(f".{target.name}.shards")
    store = Store(folder)
    with _locked(folder, os.fspath(run)):
        clear_left(target)
        try:
            yield store
        except BaseException as error:
            done = sum(1 for _ in folder.glob(f"*{_SUFFIX}"))
            if done:
                error.add_note(f"{done:,} finished {'shard is' if done == 1 else 'shards are'} kept")
            else:
                shutil.rmtree(folder, ignore_errors=True)
            raise
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(folder: Path, run: str) -> Iterator[None]:
    """Lock a folder, which is made if it is not there."""
    file = _open_lock(folder, run)
    try:
        yield
    finally:
        file.close()  # which ends the lock, as the end of the process does


def _open_lock(folder: Path, run: str) -> IO[str]:
    attempts = 0
    while True:
        attempts += 1
        try:
            folder.mkdir(exist_ok=True)
            file = (folder / _LOCK).open("a+", encoding="utf-8")
        except FileNotFoundError:  # gone in between, or a place where nobody can make a folder, as /proc
            if attempts == _ATTEMPTS or not folder.parent.is_dir():
                raise OutputError(f"KT501 cannot write {quote(run)}: no folder to write it to") from None
            continue
        except OSError as error:
            raise OutputError(f"KT501 cannot write {quote(run)}: {(error.strerror or '').lower()}") from error
        if not _lock(file):
            raise OutputError(f"KT504 cannot write {quote(run)}: {_owner_of(file)}")
        if _is_there(file, folder / _LOCK):
            _sign(file)
            return file
        file.close()  # whoever had it has removed it


def _lock(file: IO[str]) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_there(file: IO[str], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _sign(file: IO[str]) -> None:
    """Write who has the lock, for the message that others get."""
    since = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
    file.truncate(0)
    json.dump({"pid": os.getpid(), "host": socket.gethostname(), "since": since}, file)
    file.flush()


def _owner_of(file: IO[str]) -> str:
    file.seek(0)
    try:
        owner: dict[str, Any] = json.load(file)
        return f"locked by pid {owner['pid']} on {owner['host']} since {owner['since']}"
    except (ValueError, KeyError, TypeError):  # not written yet
        return "locked by another process"
    finally:
        file.close()
