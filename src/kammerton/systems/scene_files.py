# SPDX-License-Identifier: MIT
"""Make scenes, and write them as folders that ``score``, ``annotate`` and ``train`` take."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from kammerton.errors import OptionError
from kammerton.fingering.annotation import LEFT
from kammerton.fingering.formats.pig import render_pig
from kammerton.formats.reading import RECORD
from kammerton.formats.writing import JamsPart, jams_document, replacing_folder
from kammerton.systems.bad_sources import bad_midi, sheet
from kammerton.systems.music import Music
from kammerton.systems.practice import practice_pieces
from kammerton.systems.provenance import check_folder
from kammerton.systems.rendering import wav_bytes
from kammerton.systems.scenes import DIFFICULTIES, Scene, SceneOptions, make_scene, program_name
from kammerton.systems.sources import StrPath
from kammerton.systems.system import check_settings
from kammerton.version import __version__

TASKS = ("chords", "fingering", "instruments")
_SPLITS = ("train", "train", "train", "validation", "test")


def scenes(
    task: str = "chords",
    *,
    items: int = 10,
    seed: int = 0,
    difficulty: str = "medium",
    settings: Mapping[str, Any] | SceneOptions | None = None,
    audio: bool = False,
    soundfont: StrPath | None = None,
    bad_midis: int = 0,
    sheets: int = 0,
    out: StrPath | None = None,
    force: bool = False,
) -> dict[str, Scene]:
    """Make music of which everything is known: chords, instruments, beats, fingers.

    Parameters
    ----------
    task : {"chords", "fingering", "instruments"}
        What the references have; scenes for fingering are scales and arpeggios.
    items : int
        Number of scenes to make.
    seed : int
        Seed of the random numbers; the same seed makes the same scenes.
    difficulty : {"easy", "medium", "hard"}
        How hard the scenes are.
    settings : mapping of str to object, or SceneOptions, optional
        What is to differ from that: fields of :class:`kammerton.systems.SceneOptions`.
    audio : bool
        Write sound too, WAV files.
    soundfont : path, optional
        Write sound made by this soundfont; without one it is added up of sines. Needs ``kammerton[audio]``.
    bad_midis : int
        Number of folders of MIDI files with mistakes to write.
    sheets : int
        Number of folders of chord sheets with mistakes to write.
    out : path, optional
        Folder to write to: ``reference``, ``midi``, ``beats``, ``audio``, ``bad_midi_1``, ``sheets_1`` and so
        on, and ``splits.csv``.
    force : bool
        Replace a folder that was written so before.

    Returns
    -------
    dict of str to Scene
        By item; ``chords``, ``instruments`` or ``fingering`` of a scene are its truth.

    Raises
    ------
    OptionError
        If a choice is not possible.
    OutputError
        If the folder cannot be written.

    Examples
    --------
    >>> from kammerton import annotate, score
    >>> truth = {item: scene.chords for item, scene in scenes(items=2, difficulty="easy").items()}
    >>> guess = annotate("chords", truth, "baseline:commonest-triad")
    >>> 0 < score("chords", truth, guess, measures=["mirex2013/MajMin"]).value("mirex2013/MajMin") < 100
    True
    """
    if task not in TASKS:
        raise OptionError.unknown("task of scenes", task, TASKS)
    if items < 1 or bad_midis < 0 or sheets < 0:
        raise OptionError("items is 1 or more; bad_midis and sheets are 0 or more")
    if task == "fingering" and (sheets or bad_midis):
        raise OptionError("scales have no chords to get wrong", "bad sources are for chords")
    options = options_of_scenes(difficulty, settings)
    if out is not None:
        check_folder(out, (), force=force)
    make = (
        partial(practice_scene, seed=seed)
        if task == "fingering"
        else partial(make_scene, seed=seed, options=options)
    )
    made = {scene.item: scene for scene in map(make, range(items))}
    if out is None:
        return made
    bad: dict[str, tuple[str, Callable[[Scene], str | bytes]]] = {
        f"bad_midi_{number + 1}": (".mid", partial(bad_midi, version=number)) for number in range(bad_midis)
    } | {f"sheets_{number + 1}": (".txt", partial(sheet, version=number)) for number in range(sheets)}
    record = {
        "kammerton": __version__,
        "task": task,
        "system": "scenes",
        "made": f"scenes|seed:{seed}|difficulty:{difficulty}",
        "options": {"items": items, "seed": seed, "settings": asdict(options)},
    }
    with replacing_folder(out) as folder:
        _write(folder, task, made.values(), soundfont, audio=audio or soundfont is not None)
        for name, (suffix, source) in bad.items():
            _write_each(folder / name, suffix, made.values(), source)
        (folder / RECORD).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return made


def options_of_scenes(difficulty: str, settings: Mapping[str, Any] | SceneOptions | None) -> SceneOptions:
    """Return the options of a difficulty with other settings."""
    if isinstance(settings, SceneOptions):
        return settings
    if difficulty not in DIFFICULTIES:
        raise OptionError.unknown("difficulty", difficulty, DIFFICULTIES)
    check_settings(SceneOptions, settings or {}, "scenes")
    return replace(DIFFICULTIES[difficulty], **(settings or {}))


def practice_scene(number: int, seed: int = 0) -> Scene:
    """Return a scale or an arpeggio with its fingers, in some octave and tempo; each 48 are all of them."""
    pieces = list(practice_pieces().items())
    again, place = divmod(number, len(pieces))
    order = np.random.default_rng((seed, again)).permutation(len(pieces))
    name, piece = pieces[order[place]]
    chances = np.random.default_rng((seed, number, 0))
    pitches = piece.pitches + 12 * int(chances.integers(-1, 2))
    beat = round(60e6 / chances.uniform(60, 140)) / 1e6
    beats = piece.onsets / piece.onsets[piece.onsets > 0].min() / 2  # eighths
    length = np.ceil(beats[-1] + 0.5)
    fingering = replace(piece, onsets=beats * beat, offsets=(beats + 0.5) * beat, pitches=pitches)
    music = Music(
        onsets=beats,
        offsets=beats + 0.5,
        pitches=pitches,
        velocities=np.full(len(beats), 80),
        parts=(piece.hands == LEFT).astype(np.int64),
        programs=(0, 0),
        tempo_beats=np.array([0.0, length]),
        tempo_seconds=np.array([0.0, length * beat]),
        bars=np.append(np.arange(0, length, 4), length),
    )
    return Scene(
        item=f"{name} {again + 1}" if again else name,
        music=music,
        intervals=np.empty((0, 2)),
        labels=(),
        instruments={program_name(0): np.array([[0.0, fingering.offsets[-1]]])},
        fingering=fingering,
        options=DIFFICULTIES["easy"],
        seeds=(seed, number),
    )


# --- folders ---------------------------------------------------------------------------------


def _write(folder: Path, task: str, made: Iterable[Scene], soundfont: StrPath | None, *, audio: bool) -> None:
    """Write what is true of scenes, and what systems are given."""
    splits = ["item,split"]
    suffix, truth = _TRUTHS[task]
    for name in ("reference", "midi", "beats", *(["audio"] if audio else [])):
        (folder / name).mkdir()
    for number, scene in enumerate(made):
        item = scene.item
        (folder / "reference" / f"{item}{suffix}").write_text(truth(scene), encoding="utf-8")
        (folder / "midi" / f"{item}.mid").write_bytes(scene.midi())
        (folder / "beats" / f"{item}.beats").write_text(_beats(scene), encoding="utf-8")
        if audio:
            (folder / "audio" / f"{item}.wav").write_bytes(wav_bytes(scene.sound(soundfont=soundfont)))
        splits.append(f"{item},{_SPLITS[number % len(_SPLITS)]}")
    (folder / "splits.csv").write_text("\n".join(splits) + "\n", encoding="utf-8")


def _write_each(
    folder: Path, suffix: str, made: Iterable[Scene], source: Callable[[Scene], str | bytes]
) -> None:
    folder.mkdir()
    for scene in made:
        content = source(scene)
        data = content.encode() if isinstance(content, str) else content
        (folder / f"{scene.item}{suffix}").write_bytes(data)


def _beats(scene: Scene) -> str:
    """Return the beats as a table of times and numbers in their bars."""
    return "".join(f"{time:.6f}\t{number}\n" for time, number in zip(*scene.beats, strict=True))


def _lab(scene: Scene) -> str:
    rows = zip(scene.intervals.tolist(), scene.labels, strict=True)
    return "".join(f"{start:.6f}\t{end:.6f}\t{label}\n" for (start, end), label in rows)


def _pig(scene: Scene) -> str:
    assert scene.fingering is not None, "of scales there is one"
    return render_pig(scene.fingering)


def _tags(scene: Scene) -> str:
    """Return the instruments as JAMS, each interval a tag."""
    spans = [(*span, name) for name, times in scene.instruments.items() for span in times.tolist()]
    rows = (
        json.dumps(
            {"time": round(start, 6), "duration": round(end - start, 6), "value": name, "confidence": 1}
        )
        for start, end, name in sorted(spans)
    )
    part = JamsPart("tag_open", None, ",\n".join(rows), None)
    return jams_document([part], float(scene.music.tempo_seconds[-1]))


_TRUTHS: Mapping[str, tuple[str, Callable[[Scene], str]]] = {
    "chords": (".lab", _lab),
    "fingering": (".txt", _pig),
    "instruments": (".jams", _tags),
}
