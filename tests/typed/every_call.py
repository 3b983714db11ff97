# SPDX-License-Identifier: MIT
# pyright: strict
"""Every public call, as users write them: checked for types, strictly, and run."""

import sys
from pathlib import Path

import kammerton as kt
from kammerton import chords, fingering, instruments


def main(folder: Path) -> list[object]:
    """Call everything once, and return some of what comes back."""
    seen: list[object] = []
    reference, estimates = kt.example("chords")
    scores: kt.Scores = kt.score("chords", reference, estimates, missing="skip", resume=folder / "run")
    row: dict[str, float] = {**scores.flat("hasty"), "low": scores.interval("MajMin", system="hasty")[0]}
    names: list[str] = scores.wide().columns
    seen += [scores.value("MajMin", system="careful"), row, names]
    seen += [scores.to_markdown(), scores.to_latex()]
    kt.write_run(scores, folder / "run")
    again: kt.Scores = kt.read_run(folder / "run")
    difference: kt.Difference = kt.diff(folder / "run", folder / "run")
    comparison: kt.Comparison = kt.compare("chords", reference, estimates, resamples=100, permutations=100)
    agreement: kt.Agreement = kt.agree("chords", {"first": reference, "second": estimates["careful"]})
    gate: kt.GateResult = kt.gate(again, fail_under={"mirex2013/MajMin": 0.5})
    checked: kt.Checked = kt.check("chords", reference)
    converted: kt.Converted = kt.convert("chords", reference, folder / "jams", to="jams")
    packed: kt.Packed = kt.pack("chords", reference, folder / "songs.parquet")
    seen += [difference, comparison, agreement, gate.passed]
    seen += [checked.has_findings(), converted.written, packed.rows]
    fused: kt.Fusion = kt.fuse("chords", estimates)
    made: kt.Annotations = kt.annotate("chords", reference, "baseline:all-N")
    shown: kt.ItemView = kt.show("chords", reference, estimates["hasty"], "greensl")
    kt.report([folder / "run"], folder / "page.html")
    seen.append((fused.task, len(made), shown.item, kt.explain("KT114"), kt.measures("chords").height))

    accumulator = kt.Accumulator("chords", measures=["MajMin"])
    accumulator.update(([(0, 2)], ["C"]), ([(0, 2)], ["C"]))
    seen.append((accumulator.compute()["MajMin"], accumulator.values(accumulator.sums())))

    options = chords.ChordOptions(lenient=True)
    song: chords.ChordAnnotation = chords.read(Path(estimates["hasty"], "Greensleeves.lab"), options=options)
    chords.write(song, folder / "song.lab")
    of_song: dict[str, float] = chords.evaluate(song.intervals, song.labels, song.intervals, song.labels)
    of_frames: dict[str, float] = chords.frame_csr(song.intervals, song.labels, song.intervals, song.labels)
    seen.append((of_song, of_frames, chords.parse("C:7").root))

    first = next(Path(kt.example("fingering").references).iterdir())
    piece: fingering.Fingering = fingering.read(first)
    fingering.write(piece, folder / "piece.csv")
    of_piece: dict[str, float] = fingering.evaluate(piece, piece, protocol="strike")
    seen.append((of_piece["accuracy"], fingering.FingeringMetrics(), fingering.BiomechanicalConstraints()))

    instruments.write(["piano"], folder / "song.jams")
    listed: instruments.InstrumentList = instruments.read(folder / "song.jams")
    found = instruments.evaluate(list(listed.labels), ["piano", "voice"], protocol="open-mic-task1")
    seen.append((found["open-mic-task1/P"], found.instruments["piano"].f1))
    try:
        kt.chords.parse("H")
    except ValueError as error:
        seen.append(str(error))
    return seen


if __name__ == "__main__":
    main(Path(sys.argv[1]))
