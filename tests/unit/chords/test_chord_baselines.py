# SPDX-License-Identifier: MIT
"""Trivial chords, by hand."""

from cases.chords import song
from kammerton.chords import ChordAnnotation
from kammerton.chords.annotation import ChordOptions, adopt_chords
from kammerton.chords.task import baselines


def annotation(*rows: tuple[float, float, str]) -> ChordAnnotation:
    ((_, found),) = adopt_chords(song(*rows), "x", ChordOptions()).annotations
    return found


def told(found: ChordAnnotation) -> list[tuple[float, float, str]]:
    return [(*times, label) for times, label in zip(found.intervals.tolist(), found.labels, strict=True)]


REFERENCES = {
    # C 3 s (C:7 and C/5 are it too), A:min 2 s; the second annotator starts earlier, ends later: G 4 s
    "one": [annotation((1, 3, "C:7"), (3, 4, "C/5"), (4, 6, "A:min")), annotation((0, 4, "G"), (4, 7, "N"))],
    # C 5 s; X, sus4 and dim are no triads of major and minor
    "two": [annotation((0, 5, "C"), (5, 30, "D:sus4"), (30, 60, "X"), (60, 90, "E:dim"))],
    "three": [annotation((2, 9, "N"))],
}


def test_no_chord_from_the_first_start_to_the_last_end() -> None:
    found = baselines(REFERENCES)["all N"]
    assert {item: told(each) for item, each in found.items()} == {
        "one": [(0, 7, "N")],
        "two": [(0, 90, "N")],
        "three": [(2, 9, "N")],
    }


def test_the_commonest_triad_is_that_of_all_songs() -> None:
    # C 3 + 5 s, G 4 s, A:min 2 s
    found = baselines(REFERENCES)["commonest triad"]
    assert {each.labels for each in found.values()} == {("C:maj",)}


def test_the_best_triad_is_that_of_the_song() -> None:
    found = baselines(REFERENCES)["best triad of each song"]
    assert {item: each.labels for item, each in found.items()} == {
        "one": ("G:maj",),
        "two": ("C:maj",),
        "three": ("N",),
    }


def test_spellings_are_one_triad() -> None:
    found = baselines({"x": [annotation((0, 2, "C#"), (2, 4, "Db"), (4, 7, "G"))]})["commonest triad"]
    assert found["x"].labels == ("Db:maj",)


def test_nothing_has_nothing() -> None:
    assert {len(each["x"]) for each in baselines({"x": [ChordAnnotation.empty()]}).values()} == {0}
    assert baselines({}) == {"all N": {}, "commonest triad": {}, "best triad of each song": {}}
