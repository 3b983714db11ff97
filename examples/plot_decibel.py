# SPDX-License-Identifier: MIT
"""
Audio, MIDI files and tabs of one song
======================================

DECIBEL estimates the chords of a song from its audio, from several MIDI files and from several tabs, selects among the
candidates, and fuses what it selected. This page makes the tables and pictures of such a study on a made-up corpus: 20 songs of
common progressions, with three kinds of sources that fail in their own ways. The numbers say nothing about DECIBEL, or about any system.
"""

# %%
# The corpus
# ----------
# A song is four sections of eight bars. The audio system places boundaries a little late, and takes a chord for a related one. A MIDI
# file is exact, or it is of another version: other chords in a section, or another key. A tab has one chord a bar, and lacks sections.

import random
import re

import matplotlib.pyplot as plt
import numpy as np

import kammerton as kt
from kammerton.chords import ChordAnnotation

ROOTS = ["C", "Db", "D", "Eb", "E", "F", "Gb", "G", "Ab", "A", "Bb", "B"]
NAMES = {"": "maj", "m": "min", "m7": "min7", "M7": "maj7", "d7": "7"}
PROGRESSIONS = [  # semitones above the tonic, and the quality, of each half bar
    "0 0 7 7 9m 9m 5 5",
    "0 0 9m 9m 5 5 7d7 7d7",
    "9m 9m 5 5 0 0 7 7",
    "2m7 2m7 7d7 7d7 0M7 0M7 9m7 9m7",
    "0 0 0 0 5 5 0 7d7",
    "0m 0m 8 8 3 3 10 10",
    "0 4m 5 5 0 7 5 5",
    "5M7 7 4m7 9m 2m7 7d7 0 0",
]


def chord(token, tonic):
    """Return the label of a token such as ``9m7`` in a key."""
    degree, quality = re.fullmatch(r"(\d+)(.*)", token).groups()
    return f"{ROOTS[(tonic + int(degree)) % 12]}:{NAMES[quality]}"


def rows(labels, boundaries):
    """Return an annotation of one label a unit, equal neighbours joined."""
    starts = [0] + [n for n in range(1, len(labels)) if labels[n] != labels[n - 1]]
    ends = [*starts[1:], len(labels)]
    intervals = [(boundaries[start], boundaries[end]) for start, end in zip(starts, ends, strict=True)]
    return ChordAnnotation(np.array(intervals), tuple(labels[start] for start in starts))


def related(label, rng):
    """Return a chord that a listener may take for another one: its relative, its dominant, or the plain triad."""
    root, quality = label.split(":")
    place, minor = ROOTS.index(root), quality.startswith("min")
    relative = f"{ROOTS[(place + (3 if minor else 9)) % 12]}:{'maj' if minor else 'min'}"
    return rng.choice([relative, f"{ROOTS[(place + 7) % 12]}:maj", f"{root}:{'min' if minor else 'maj'}"])


def moved(label, semitones):
    """Return a chord in another key."""
    root, quality = label.split(":")
    return f"{ROOTS[(ROOTS.index(root) + semitones) % 12]}:{quality}"


def make_song(rng):
    """Return the reference of a song, its audio estimate, and MIDI files and tabs with how sure their source is."""
    tonic, half_bar = rng.randrange(12), rng.choice([0.9, 1.0, 1.15, 1.3])
    sections = [rng.choice(PROGRESSIONS).split() * 2 for _ in range(3)]
    labels = [chord(token, tonic) for place in (0, 1, 0, 2) for token in sections[place]]
    grid = [round(half_bar * n, 3) for n in range(len(labels) + 1)]

    heard = [related(label, rng) if rng.random() < 0.24 else label for label in labels]
    late = [0.0, *(time + rng.gauss(0.08, 0.04) for time in grid[1:-1]), grid[-1]]
    audio = rows(heard, late)

    midi, tabs = {}, {}
    for number in range(1, rng.randint(2, 5)):
        kind = rng.choice(["exact", "exact", "version", "key"])
        share = {"exact": 0.04, "version": 0.35, "key": 0.08}[kind]
        played = [related(label, rng) if rng.random() < share else label for label in labels]
        if kind == "key":
            played = [moved(label, rng.choice([1, 2, -1])) for label in played]
        confidence = {"exact": 0.8, "version": 0.5, "key": 0.45}[kind] + rng.gauss(0, 0.1)
        midi[f"midi{number}"] = rows(played, grid), confidence
    for number in range(1, rng.randint(2, 4)):
        quality = rng.uniform(0.1, 0.5)
        bars = [labels[n - n % 2] for n in range(len(labels))]
        written = [related(label, rng) if rng.random() < quality else label for label in bars]
        if rng.random() < 0.4:  # the third section is "as the first", and is not written out
            written[len(labels) // 2 : 3 * len(labels) // 4] = ["N"] * (len(labels) // 4)
        tabs[f"tab{number}"] = rows(written, grid), 1 - quality + rng.gauss(0, 0.15)
    return rows(labels, grid), audio, midi, tabs


rng = random.Random(2026)
reference, audio, midi, tabs, confidence = {}, {}, {}, {}, {}
for number in range(20):
    song = f"song {number + 1:02}"
    reference[song], audio[song], of_midi, of_tabs = make_song(rng)
    for kind, candidates in ((midi, of_midi), (tabs, of_tabs)):
        for name, (annotation, sure) in candidates.items():
            kind[f"{song}.{name}"] = annotation
            confidence[song, name] = sure
print(f"{len(reference)} songs, {len(midi)} MIDI files, {len(tabs)} tabs")

# %%
# Worst, mean, selected and best
# ------------------------------
# ``candidates`` says how estimates are called that are several of one song. The candidate with the highest confidence is selected.

scores = kt.score(
    "chords",
    reference,
    {"audio": audio, "midi": midi, "tabs": tabs},
    candidates="{item}.{candidate}",
    select_by=confidence,
    measures=["mirex2013/MajMin"],
)
print(scores)

# %%
# What a confidence is worth
# --------------------------
# Each point is a MIDI file or a tab.

items = scores.candidate_items
fig, axes = plt.subplots(1, 2, figsize=(8, 3.4), sharey=True, layout="constrained")
for axis, system in zip(axes, ["midi", "tabs"], strict=True):
    own = items.filter(system=system)
    for selected, colour in ((False, "0.65"), (True, "tab:blue")):
        points = own.filter(selected=selected)
        axis.scatter(
            points["confidence"],
            100 * points["value"],
            s=18,
            color=colour,
            label="selected" if selected else "other",
        )
    axis.set(title=system, xlabel="confidence of the source")
axes[0].set_ylabel("MajMin, %")
axes[0].legend(frameon=False)

# %%
# Audio against the final output
# ------------------------------
# The audio estimate, the selected MIDI file and the selected tab are fused. The comparison is with the audio system alone; the oracle
# is the time in which any of the sources is right.

chosen = {(row["system"], row["item"]): row["candidate"] for row in items.filter(selected=True).to_dicts()}
sources = {
    "audio": audio,
    "midi": {song: midi[f"{song}.{chosen['midi', song]}"] for song in reference},
    "tab": {song: tabs[f"{song}.{chosen['tabs', song]}"] for song in reference},
}
final = kt.fuse("chords", sources)
print(
    kt.compare(
        "chords",
        reference,
        {**sources, "final": final.annotations},
        against="audio",
        measures=["mirex2013/MajMin", "mirex2013/Sevenths", "mirex2013/MeanSeg"],
        oracle=True,
    )
)

# %%
# Song by song
# ------------

both = kt.score(
    "chords", reference, {"audio": audio, "final": final.annotations}, measures=["mirex2013/MajMin"], ci=None
)
wide = both.items.pivot(on="system", index="item", values="value")
gain = 100 * (wide["final"] - wide["audio"])
fig, (scatter, histogram) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
scatter.scatter(100 * wide["audio"], 100 * wide["final"], s=18)
scatter.axline((80, 80), slope=1, color="0.7", linewidth=1)
scatter.set(xlabel="audio, MajMin %", ylabel="final, MajMin %")
histogram.hist(gain, bins=10)
histogram.axvline(0, color="0.7", linewidth=1)
histogram.set(xlabel="gain of the final output, points", ylabel="songs")
plt.show()
