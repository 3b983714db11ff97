# SPDX-License-Identifier: MIT
"""How fast lists of instruments are scored, beside scikit-learn and hiclass doing a part of it.

    python benchmarks/instruments.py [--files N] [--large N] [--repeats N]

Everyone starts from Python lists of strings: five annotated and five predicted labels of each file, from a
taxonomy of 90 nodes. Ours is all of the protocol ``open-mic-task1``: precision, recall, F, average
precision, their hierarchical forms, all files together, and every instrument. scikit-learn turns lists into
dense matrices and gives precision, recall and F of each file and LRAP; hiclass gives hierarchical
precision, recall and F, averaged over files. They take turns in one process, imports excluded; the figure is
the median of the repeats. Then the large corpus, in a process of its own, for its peak of memory.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from measuring import alone, peak_bytes, timed

TARGETS = {"scikit-learn": 10, "hiclass": 20}
TARGET_S, LARGE_TARGET_S, LARGE_TARGET_MB = 0.5, 5.0, 2000
LABELS_OF_A_FILE = 5

Lists = list[list[str]]


@dataclass(frozen=True)
class Corpus:
    """Annotated and predicted labels, and the parent of each node of the taxonomy."""

    annotated: Lists
    predicted: Lists
    parents: dict[str, str]
    path: Path


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast lists of instruments are scored.")
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--large", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if given.alone:
            print(json.dumps(measured(make_corpus(Path(folder), given.large))))
            return
        report(make_corpus(Path(folder), given.files), given.repeats)
    large(given.large)


def report(corpus: Corpus, repeats: int) -> None:
    names = ("kammerton", "numpy", "scikit-learn", "hiclass")
    told = ", ".join(f"{name} {installed(name)}" for name in names if installed(name))
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {told}")
    nodes = len(corpus.parents) + 1
    print(f"{len(corpus.annotated):,} files, {LABELS_OF_A_FILE} labels a side, {nodes} nodes\n")
    runs: dict[str, Callable[[], object]] = {"kammerton": lambda: run_kammerton(corpus)}
    if installed("scikit-learn"):
        runs["scikit-learn"] = lambda: run_sklearn(corpus)
    if installed("hiclass"):
        runs["hiclass"] = lambda: run_hiclass(corpus)
    seconds = timed(runs, repeats)
    for name, (first, median) in seconds.items():
        target = f"   target {TARGET_S} s" if name == "kammerton" else ""
        print(f"{name:13} {median:8.3f} s   first run {first:.3f} s{target}")
    for name, least in TARGETS.items():
        if name in seconds:
            ratio = seconds[name][1] / seconds["kammerton"][1]
            print(f"{'ratio':13} {ratio:8.1f} x to {name}, target {least} x")
        else:
            print(f"{name} is not installed: no ratio")


def installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


# --- the sides -------------------------------------------------------------------------------


def run_kammerton(corpus: Corpus) -> object:
    from kammerton.instruments import evaluate  # noqa: PLC0415 - each side imports only what it measures

    return evaluate(corpus.annotated, corpus.predicted, corpus.path, protocol="open-mic-task1")


def run_sklearn(corpus: Corpus) -> object:
    from sklearn import metrics  # noqa: PLC0415
    from sklearn.preprocessing import MultiLabelBinarizer  # noqa: PLC0415

    binary = MultiLabelBinarizer(classes=sorted({*corpus.parents, *corpus.parents.values()})).fit([])
    truth, said = binary.transform(corpus.annotated), binary.transform(corpus.predicted)
    ranks = np.zeros(said.shape)
    number = {label: place for place, label in enumerate(binary.classes_)}
    columns = np.array([[number[label] for label in labels] for labels in corpus.predicted])
    ranks[np.arange(len(columns))[:, np.newaxis], columns] = np.arange(LABELS_OF_A_FILE, 0, -1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        figures = metrics.precision_recall_fscore_support(truth, said, average="samples")
        return figures, metrics.label_ranking_average_precision_score(truth, ranks)


def run_hiclass(corpus: Corpus) -> object:
    from hiclass import metrics  # noqa: PLC0415

    truth, said = (
        np.array([[[corpus.parents[label], label] for label in labels] for labels in side])
        for side in (corpus.annotated, corpus.predicted)
    )
    measures = (metrics.precision, metrics.recall, metrics.f1)
    return [measure(truth, said, average="macro") for measure in measures]


# --- the large corpus ------------------------------------------------------------------------


def measured(corpus: Corpus) -> dict[str, float]:
    """Score once, and return seconds and the most memory that this process ever held."""
    begin = time.perf_counter()
    run_kammerton(corpus)
    seconds = time.perf_counter() - begin
    return {"seconds": seconds, "bytes": peak_bytes()}


def large(files: int) -> None:
    found: dict[str, Any] = json.loads(alone(__file__, "--alone", "--large", str(files)))
    print(
        f"\n{files:,} files: {found['seconds']:.2f} s, target {LARGE_TARGET_S} s; peak with the lists "
        f"{found['bytes'] / 1e6:.0f} MB, target {LARGE_TARGET_MB} MB"
    )


def make_corpus(folder: Path, files: int) -> Corpus:
    """Draw five labels for each file, and predictions of which two are right."""
    parents = {f"family {number}": "instrument" for number in range(9)}
    for number in range(80):
        parents[f"instrument {number}"] = f"family {number % 9}"
    path = folder / "taxonomy.json"
    path.write_text(json.dumps(parents), encoding="utf-8")
    labels = [label for label in parents if not label.startswith("family")]
    rng = np.random.default_rng(2016)
    annotated: Lists = []
    predicted: Lists = []
    for _ in range(0, files, 10_000):
        drawn = np.argsort(rng.random((min(10_000, files - len(annotated)), len(labels))), axis=1)[:, :8]
        annotated += [[labels[code] for code in row[:5]] for row in drawn.tolist()]
        predicted += [[labels[code] for code in row[3:]] for row in drawn.tolist()]
    return Corpus(annotated, predicted, parents, path)


if __name__ == "__main__":
    main()
