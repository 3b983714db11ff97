# SPDX-License-Identifier: MIT
"""Pages that tests look at: the bundled examples, hostile names, and large ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import kammerton as kt
from kammerton.instruments import InstrumentList, InstrumentOptions

__all__ = ["HOSTILE", "LARGE", "PAGES", "SONGS", "demo"]

HOSTILE = (
    "</script><script>window.hacked = 1</script>",
    "<!--<script>",
    '" onmouseover="window.hacked = 1',
    "' autofocus onfocus='window.hacked = 1",
    "<img src=x onerror=window.hacked=1>",
    "javascript:window.hacked=1",
    "{{7*7}}{% raw %}${7*7}",
    "line\u2028separator\u2029here",
    "\u202egnp.exe",
    "__proto__",
    "constructor",
    "&lt;b&gt;&amp;",
    "x" * 10_000,
)
"""Names that a page must show, and not obey."""

SONGS, LARGE = 217, 10_000


def demo(task: str) -> Path:
    """Return the folder of a bundled example."""
    return Path(str(files("kammerton") / "demo" / task))


def _chords(path: Path) -> None:
    folder = demo("chords")
    scores = kt.score(
        "chords",
        folder / "reference",
        {"careful": folder / "careful", "hasty": folder / "hasty"},
        annotators={"second": folder / "second"},
        annotator="reference",
        protocols=["mirex2013", "mir_eval"],
        resamples=200,
    )
    kt.report(scores, path)


def _fingering(path: Path) -> None:
    folder = demo("fingering")
    systems = {name: folder / name for name in ("careful", "hasty")}
    kt.report(
        kt.score(
            "fingering", folder / "reference", systems, protocols=["strike", "playability"], resamples=200
        ),
        path,
    )


def _instruments(path: Path) -> None:
    folder = demo("instruments")
    systems = {name: folder / f"{name}.csv" for name in ("careful", "hasty")}
    options = InstrumentOptions(taxonomy="openmic-2018")
    scores = kt.score(
        "instruments", folder / "reference.csv", systems, options=options, resamples=200, protocols="all"
    )
    kt.report(scores, path)


def _hostile(path: Path) -> None:
    """Every text that others write is hostile: items, systems, annotators, labels, reasons, the title."""
    labels = [text[:4000] for text in HOSTILE]  # longer ones are refused
    lists = {name: InstrumentList((labels[place], labels[place - 1])) for place, name in enumerate(HOSTILE)}
    guesses = {
        name: InstrumentList((labels[place], labels[place - 2]), scores=np.array([0.9, 0.8]), ranked=True)
        for place, name in enumerate(HOSTILE)
    }
    scores = kt.score(
        "instruments",
        lists,
        {f"{HOSTILE[0]} system": guesses, f"{HOSTILE[2]} system": lists, f"{HOSTILE[9]} system": guesses},
        annotators={f"{HOSTILE[4]} annotator": lists},
        measures=["open-mic-task1/P", "open-mic-task1/F"],
        resamples=50,
    )
    songs = {name: ([(0, 2), (2, 4)], ["C", "G"]) for name in HOSTILE}
    broken = songs | {HOSTILE[0]: ([(0, 4)], [HOSTILE[4]]), HOSTILE[1]: ([(0, 4)], [HOSTILE[12]])}
    of_songs = kt.score(
        "chords",
        songs,
        {f"{HOSTILE[4]} system": broken, f"{HOSTILE[8]} system": songs},
        protocols=["mirex2013"],
        ci=None,
    )
    kt.report([scores, of_songs], path, title=HOSTILE[0] + HOSTILE[6])


def _many(path: Path) -> None:
    """Eight systems against two annotators, by genre, with baselines and human agreement."""
    rng = np.random.default_rng(3)
    kinds = ("C", "G", "A:min", "F", "D:7", "E:min7")
    names = ("JLCX2", "JLCX1", "FK2", "SG1", "CM1", "PP3", "KBK2", "a system of a long name")

    def heard(wrong: float) -> dict[str, Any]:
        return {
            name: (times, [str(rng.choice(kinds)) if rng.random() < wrong else label for label in labels])
            for name, (times, labels) in reference.items()
        }

    times = [(2 * place, 2 * place + 2) for place in range(40)]
    reference = {f"song {number:02}": (times, rng.choice(kinds, 40).tolist()) for number in range(12)}
    systems = {name: heard(0.05 * place + 0.1) for place, name in enumerate(names)}
    scores = kt.score(
        "chords",
        reference,
        systems,
        annotators={"second": heard(0.2)},
        group_by={name: f"genre {name[-1]}" for name in reference},
        context=True,
        resamples=200,
    )
    kt.report(scores, path, title="Eight systems", description="Drafts.", date="2026-11-28")


def _songs(path: Path) -> None:
    _random(path, SONGS, rows=120, protocols=["mirex2013"])


def _large(path: Path) -> None:
    _random(path, LARGE, rows=6, measures=["mirex2013/Root", "mirex2013/MajMin"])


def _random(path: Path, items: int, rows: int, **chosen: Any) -> None:
    """Songs of many chords, and two systems that get a part of them wrong."""
    rng = np.random.default_rng(0)
    labels = np.array([f"{root}{kind}" for root in "CDEFGAB" for kind in ("", ":min", ":7", ":min7")])

    def song() -> tuple[list[tuple[float, float]], list[str]]:
        times = np.concatenate(([0.0], np.cumsum(rng.uniform(0.5, 3.0, rows)).round(3))).tolist()
        return list(pairwise(times)), rng.choice(labels, rows).tolist()

    def heard(right: float) -> dict[str, Any]:
        found = {}
        for name, (times, names) in reference.items():
            kept = rng.random(rows) < right
            found[name] = (times, np.where(kept, names, rng.choice(labels, rows)).tolist())
        return found

    reference = {f"album {number % 20:02}/song {number:05}": song() for number in range(items)}
    systems = {"first": heard(0.75), "second": heard(0.7)}
    kt.report(kt.score("chords", reference, systems, resamples=100, **{"protocols": "all", **chosen}), path)


def _heard(path: Path) -> None:
    import soundfile  # noqa: PLC0415 - of an extra

    recording = path.with_name("tone.flac")
    soundfile.write(recording, 0.01 * np.sin(np.arange(8000 * 20) / 4), 8000)
    kt.report(_two_songs(), path, recordings={"one": recording})


def _two_songs() -> kt.Scores:
    rows = ([(0, 5), (5, 20)], ["C", "G"])
    wrong = ([(0, 8), (8, 20)], ["C", "G:min"])
    return kt.score("chords", {"one": rows, "two": rows}, {"mine": {"one": wrong, "two": wrong}}, ci=None)


PAGES: Mapping[str, Callable[[Path], None]] = {
    "chords": _chords,
    "heard": _heard,
    "fingering": _fingering,
    "instruments": _instruments,
    "hostile": _hostile,
    "many": _many,
    "songs": _songs,
    "large": _large,
}
