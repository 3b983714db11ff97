# SPDX-License-Identifier: MIT
"""Lists of instruments that are fused, against numbers worked out by hand."""

from typing import Any

import numpy as np
import pytest

import kammerton as kt
from kammerton.errors import OptionError
from kammerton.instruments import InstrumentOptions
from kammerton.instruments.annotation import InstrumentList

GM = InstrumentOptions(taxonomy="general-midi")
"""In which violin and cello are strings."""


def listed(*labels: str, absent: tuple[str, ...] = (), closed: bool = True) -> InstrumentList:
    return InstrumentList(labels, absent=absent, closed=closed)


def scored(**scores: float) -> InstrumentList:
    return InstrumentList(tuple(scores), np.array(list(scores.values())), ranked=True, vector=True)


def fuse(*sources: dict[str, InstrumentList], **choices: Any) -> kt.Fusion:
    named = {f"s{number}": lists for number, lists in enumerate(sources)}
    return kt.fuse("instruments", named, **{"copies": "keep", **choices})


def one(*lists: InstrumentList, knows: str = "", **choices: Any) -> InstrumentList:
    """Fuse the lists of one recording by sources that name in another one what they ``know`` besides."""
    other = listed(*knows.split())
    sources: list[dict[str, InstrumentList]] = [{"song": own, "other": other} for own in lists]
    fused: InstrumentList = fuse(*sources, **choices).annotations["song"]
    return fused


@pytest.mark.parametrize(
    ("lists", "knows", "fused"),
    [
        (["piano drums"], "", "piano drums"),
        (["piano", "piano drums", "piano"], "drums", "piano"),
        (["piano", "piano drums", "piano"], "", "piano drums"),  # two do not know that there are drums
        (["piano", "drums"], "piano drums", ""),  # just half of the votes
        (["", "", ""], "piano", ""),
    ],
)
def test_more_than_half_of_those_who_know_the_label(lists: list[str], knows: str, fused: str) -> None:
    song = one(*(listed(*own.split()) for own in lists), knows=knows)
    assert song.labels == tuple(fused.split())
    assert song.closed


@pytest.mark.parametrize(
    ("lists", "fused"),
    [
        # cello: one for it; the second knows strings, and says by `Strings` nothing of cellos
        (["Cello", "Strings"], ["Strings", "Cello"]),
        # half of the votes on the cello, and the second source lists strings, so that it is there
        (["Cello", "Strings", "Violin"], ["Strings", "Violin", "Cello"]),
        # half of the votes, and nobody else lists strings
        (["Cello", "Piano"], []),
        # whoever lists a violin or a cello lists strings
        (["Violin", "Cello", "Strings", "Piano"], ["Strings"]),
    ],
)
def test_a_taxonomy_tells_what_a_label_says_of_another(lists: list[str], fused: list[str]) -> None:
    song = one(*(listed(own) for own in lists), knows="Cello Violin Piano Strings", options=GM)
    assert sorted(song.labels) == sorted(fused)


def test_open_lists_say_only_what_they_name() -> None:
    opened = listed("piano", closed=False)
    song = one(opened, listed(absent=("piano", "drums"), closed=False), opened)
    assert (song.labels, song.absent, song.closed) == (("piano",), ("drums",), False)
    assert song.scores.tolist() == pytest.approx([2 / 3])
    assumed = InstrumentOptions(assume_absent=True)
    assert one(opened, listed("drums", closed=False), opened, knows="drums", options=assumed).labels == (
        "piano",
    )


def test_strings_that_are_absent_are_no_violins() -> None:
    without = listed(absent=("Strings",), closed=False)
    assert one(listed("Violin", closed=False), without, without, options=GM).labels == ()


def test_probabilities_are_averaged() -> None:
    fusion = fuse(
        {"song": scored(piano=0.9, drums=0.2)},
        {"song": scored(piano=0.3, drums=0.6)},
        {"song": scored(piano=0.6, drums=0.6, organ=0.7)},
    )
    song = fusion.annotations["song"]
    assert song.vector
    assert song.labels == ("organ", "piano", "drums")
    assert song.scores.tolist() == pytest.approx([0.7, 0.6, 1.4 / 3])
    assert fusion.rows["present"].to_list() == [True, False, True]
    assert fusion.rows["support"].to_list() == pytest.approx([2 / 3, 1 / 3, 1])  # of drums two say 0.6


def test_other_scores_count_by_rank() -> None:
    """Three labels by rank: 1, 2/3, 1/3; piano (1 + 2/3) / 2, drums (2/3 + 1) / 2, organ 1/3."""
    fusion = fuse({"song": scored(piano=9, drums=2, organ=1)}, {"song": scored(piano=-3, drums=6, organ=-4)})
    song = fusion.annotations["song"]
    assert song.labels == ("piano", "drums", "organ")
    assert song.scores.tolist() == pytest.approx([5 / 6, 5 / 6, 1 / 3])
    assert fusion.sources["able_ranks"].to_list() == [True, True]


def test_scores_and_lists_together_vote() -> None:
    song = one(
        listed("piano"), scored(piano=0.4, drums=0.9), scored(piano=0.8, drums=0.1), knows="piano drums"
    )
    assert song.labels == ("piano",)
    assert not song.vector
    assert song.scores.tolist() == pytest.approx([2 / 3])


def test_low_support_is_left_open() -> None:
    fusion = fuse(
        *({"song": listed(*own.split()), "x": listed("a")} for own in ("piano a", "piano", "piano a")),
        least_support=0.9,
    )
    song = fusion.annotations["song"]
    assert (song.labels, song.absent, song.closed) == (("piano",), (), False)
    assert fusion.overall["unknown"] == 1


def corpus(*sets: str) -> dict[str, InstrumentList]:
    return {str(number): listed(*labels.split()) for number, labels in enumerate(sets)}


def test_sources_that_share_what_others_do_not_list_are_copies() -> None:
    rng = np.random.default_rng(5)
    own = [[f"i{k}" for k in np.flatnonzero(rng.random(30) < 0.3)] for _ in range(50)]
    noise = [[" ".join(f"i{k}" for k in np.flatnonzero(rng.random(30) < 0.3)) for _ in own] for _ in range(4)]
    first = [" ".join(labels) for labels in own]
    second = [" ".join(labels[1:]) if number < 5 else " ".join(labels) for number, labels in enumerate(own)]
    sources = [corpus(*first), corpus(*second), *(corpus(*labels) for labels in noise)]
    fusion = fuse(*sources, copies="one")
    assert fusion.sources["copy_of"].to_list() == [None, "s0", None, None, None, None]
    assert fusion.sources["weight"].to_list() == [0.5, 0.5, 1, 1, 1, 1]
    pair = fuse(*sources[:2], copies="one")  # two sources: by all that they list
    assert pair.sources["copy_of"].to_list() == [None, "s0"]


def test_what_instruments_have_not() -> None:
    with pytest.raises(OptionError, match="pick"):
        fuse({"song": listed("piano")}, method="pick")
    with pytest.raises(OptionError, match="leave out change_cost"):
        fuse({"song": listed("piano")}, change_cost=1)
    with pytest.raises(OptionError, match="queries"):
        fuse({"song": InstrumentList(("a",), query=True)})


def test_files_hold_lists_and_scores(tmp_path: Any) -> None:
    fuse({"song": listed("piano")}, {"song": listed("piano")}).write(tmp_path / "lists")
    fuse({"song": scored(piano=0.75, drums=0.25)}).write(tmp_path / "scores", to="csv")
    scores = kt.score("instruments", {"song": listed("piano")}, {"lists": tmp_path / "lists"}, ci=None)
    assert scores.value("open-mic-task1/F") == 1
    assert (tmp_path / "scores/song.csv").read_text() == "file,piano,drums\nsong,0.75,0.25\n"
