# SPDX-License-Identifier: MIT
"""
From recordings, MIDI files and chord sheets to one sequence of chords
======================================================================

What DECIBEL does, with the systems of Kammerton, on 20 made-up songs: each has a recording, and two MIDI files and two chord sheets that
are bad on purpose. What does each source reach, and what does fusion make of all five?
"""

# %%
# Songs and sources
# -----------------
# The songs are hard ones. Notes below 40 % of the chords of a MIDI file are wrong; of the chords of a sheet, 20 % are wrong and 20 % left out.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

import kammerton as kt

folder = Path(tempfile.mkdtemp())
songs = kt.scenes(
    items=20,
    difficulty="hard",
    settings={"bars": 8, "errors": 0.4},
    audio=True,
    bad_midis=2,
    sheets=2,
    out=folder / "songs",
)
reference = {item: song.chords for item, song in songs.items()}
print((folder / "songs/sheets_1/scene_0001.txt").read_text())

# %%
# Three kinds of systems
# ----------------------
# ``audio`` hears chords; ``symbolic`` finds them in notes; ``sheet`` looks where the chords of a sheet sound in the recording.

recordings = folder / "songs/audio"
sources = {"audio": kt.annotate("chords", recordings, "audio")}
for number in (1, 2):
    sources[f"midi{number}"] = kt.annotate("chords", folder / f"songs/bad_midi_{number}", "symbolic")
    sheets = folder / f"songs/sheets_{number}"
    sources[f"sheet{number}"] = kt.annotate("chords", [sheets, recordings], "sheet")

# %%
# What fusion makes of them
# -------------------------
# The comparison is with the recording alone. No reference is used by fusion: it weights sources by how far they agree.

fused = kt.fuse("chords", sources)
print(fused.sources.select("source", "agreement", "weight", "copy_of"))
systems = {**sources, "fused": fused.annotations}
measures = ["mirex2013/MajMin", "mirex2013/Sevenths", "mirex2013/MeanSeg"]
comparison = kt.compare("chords", reference, systems, against="audio", measures=measures, oracle=True)
print(comparison)

# %%
# The lead over the recording
# ---------------------------
# Which source leads is known here, since the chords are. Fusion does not know it.

leads = {
    pair["first"]: (pair["difference"], pair["low"], pair["high"])
    for pair in comparison.pairs.filter(measure="MajMin").sort("difference").to_dicts()
}
fig, axis = plt.subplots(figsize=(7, 2.8), layout="constrained")
for place, (name, (lead, low, high)) in enumerate(leads.items()):
    colour = "tab:red" if name == "fused" else "0.3"
    axis.plot([100 * low, 100 * high], [place, place], color=colour)
    axis.plot(100 * lead, place, "o", color=colour)
axis.axvline(0, color="0.7", linewidth=1)
axis.set(yticks=range(len(leads)), yticklabels=list(leads), xlabel="MajMin, points above audio")

# %%
# Song by song
# ------------

scores = kt.score("chords", reference, systems, measures=["mirex2013/MajMin"], ci=None)
wide = scores.items.pivot(on="system", index="item", values="value")
fig, axis = plt.subplots(figsize=(4.2, 4), layout="constrained")
axis.scatter(100 * wide["audio"], 100 * wide["fused"], s=18)
axis.axline((80, 80), slope=1, color="0.7", linewidth=1)
axis.set(xlabel="audio, MajMin %", ylabel="fused, MajMin %")
plt.show()
