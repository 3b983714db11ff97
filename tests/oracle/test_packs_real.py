# SPDX-License-Identifier: MIT
"""Packs of real annotations say what the files say, down to the last message; see ``KAMMERTON_SHARED``."""

import os
from pathlib import Path
from typing import Any

import pytest

import kammerton as kt
from kammerton.formats.collecting import collect
from kammerton.model.corpus import Collection, name_of_source
from kammerton.model.registry import find_task
from kammerton.model.task import Task
from kammerton.scoring.loading import read_source

pytestmark = pytest.mark.slow

FOLDERS = [
    ("chords", "chords/mirex/Isophonics2009"),
    ("chords", "chords/mirex/CASD"),
    ("chords", "chords/odd"),
    ("chords", "chords/mir_eval_fixtures"),
    ("fingering", "fingering/beringer_pig"),
    ("fingering", "fingering/beringer_est_FHMM1"),
    ("fingering", "fingering/pianovam_gt"),
    ("fingering", "fingering/pydactyl_abcd_raw"),
    ("fingering", "fingering/musicxml"),
    ("instruments", "instruments/jams_samples"),
    ("instruments", "instruments/irmas_lumen"),
    ("instruments", "instruments/medleydb"),
    ("instruments", "instruments/openmic2018"),
    ("instruments", "instruments/mixing_secrets"),
    ("instruments", "instruments/trec"),
]


@pytest.mark.parametrize(("name", "folder"), FOLDERS, ids=[folder for _, folder in FOLDERS])
def test_everything_comes_back(name: Any, folder: str, tmp_path: Path) -> None:
    root = os.environ.get("KAMMERTON_SHARED")
    if root is None:
        pytest.skip("KAMMERTON_SHARED names no folder with real annotations")
    source, packed, task = Path(root) / "data" / folder, tmp_path / "x.parquet", find_task(name)
    kt.pack(name, source, packed)
    files, pack = (
        collect(each, name="x", default_name="x", task=task, options=task.options())
        for each in (source, packed)
    )
    assert pack.diagnostics == files.diagnostics
    assert (pack.broken, pack.written, pack.single) == (files.broken, files.written, files.single)
    assert told(task, pack) == told(task, files)


def told(task: Task, collection: Collection) -> list[object]:
    """Return everything that the sources of a collection say."""
    found: list[object] = []
    for item, sources in collection.sources.items():
        for annotator, source in sources:
            reading = read_source(task, source, item, task.options())
            contents = [(who, task.content(each)) for who, each in reading.annotations]
            lint = task.lint or (lambda *_: ())
            said = [lint(each, task.options()) for _, each in reading.annotations]
            found.append((item, annotator, name_of_source(source), contents, reading.diagnostics, said))
    return found
