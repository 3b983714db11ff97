# SPDX-License-Identifier: MIT
"""Packs: what is packed comes back, whatever it is called and whatever was said of it."""

import errno
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

import kammerton
from kammerton.chords import TASK, ChordAnnotation, ChordOptions
from kammerton.errors import DataError, Diagnostic, OptionError, OutputError
from kammerton.formats import packs
from kammerton.formats.pack_layout import ListColumn, PlainColumn, contents_of
from kammerton.formats.packs import collect_pack, is_pack, new_pack, open_pack, read_packed_pairs, unpacked
from kammerton.formats.writing import escaped, unescaped
from kammerton.model.corpus import Collection, name_of_source
from kammerton.model.task import Reading
from unit.formats.packing import SONG, pack_of, readings_of, songs

ODD_NAMES = ["Frère Jacques", "a\\b", "\\u0041", "caf\udce9", "a/b", "", " ", "\N{MUSICAL SYMBOL G CLEF}"]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@given(st.text(st.characters()))
def test_any_text_comes_back(text: str) -> None:
    stored = escaped(text)
    assert unescaped(stored) == text
    stored.encode()  # no lone surrogate is left


@given(
    st.lists(
        arrays.arrays(np.float64, 2, elements=st.floats(0, 1e6, width=64)).map(np.sort),
        min_size=1,
        max_size=30,
    )
)
def test_times_come_back_to_the_bit(
    tmp_path_factory: pytest.TempPathFactory, rows: list[NDArray[np.float64]]
) -> None:
    songs = {f"{number}": ChordAnnotation(row[None, :], ("N",)) for number, row in enumerate(rows)}
    path = tmp_path_factory.mktemp("packs") / "songs.parquet"
    pack_of(path, {item: Reading(((None, song),)) for item, song in songs.items()})
    found = readings_of(path)
    assert {item: each.annotations[0][1].intervals.tobytes() for item, each in found.items()} == {
        item: song.intervals.tobytes() for item, song in songs.items()
    }


def test_names_come_back(tmp_path: Path) -> None:
    path = pack_of(tmp_path / "x.parquet", {name: Reading(((name, SONG),)) for name in ODD_NAMES})
    found = readings_of(path)
    assert list(found) == ODD_NAMES
    assert [each.annotations[0][0] for each in found.values()] == ODD_NAMES


SAID = Diagnostic(
    code="KT141",
    severity="warning",
    message="rows overlap \udce9",
    file="x.lab",
    line=3,
    column=2,
    length=4,
    excerpt="0 1 C",
    hint="cut",
    count=7,
)


def test_what_was_said_comes_back(tmp_path: Path) -> None:
    failed: Reading[Any] = Reading((), (replace(SAID, severity="error"),))
    both = Reading((("A", SONG), ("B", SONG)), (SAID, SAID))
    path = pack_of(
        tmp_path / "x.parquet", {"failed": failed, "sound": Reading(((None, SONG),)), "both": both}
    )
    found = readings_of(path)
    assert {item: each.diagnostics for item, each in found.items()} == {
        "failed": failed.diagnostics,
        "both": both.diagnostics,
        "sound": (),
    }
    assert {item: [name for name, _ in each.annotations] for item, each in found.items()} == {
        "failed": [],
        "both": ["A", "B"],
        "sound": [None],
    }


def test_a_collection_comes_back(tmp_path: Path) -> None:
    about = {
        "origin": "somewhere",
        "diagnostics": (SAID,),
        "broken": {"torn": "ambiguous"},
        "single": True,
        "written": {"é": "e\u0301"},
    }
    path = pack_of(tmp_path / "x.parquet", {"é": Reading(((None, SONG),))}, **about)
    found = open_pack(path, TASK).collection(0)
    assert {name: getattr(found, name) for name in about} == {**about, "origin": str(path)}
    assert found.name == "songs"
    assert found.items == {"é", "torn"}
    assert name_of_source(found.sources["é"][0][1]) == "songs/é.lab"
    assert "é" in found.sources
    assert "e" not in found.sources
    assert len(found.sources) == 1


def test_several_annotators_of_an_item_are_told_by_their_files(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    with new_pack(path, TASK, ChordOptions()) as writer:
        writer.begin(Collection("songs", {}))
        for told in ("A", "B", None):
            writer.add("one", told, None, Reading(((None, SONG),)))
        writer.add("two", "A", None, Reading(((None, SONG),)))
    found = open_pack(path, TASK).sources(0)
    assert {item: [told for told, _ in sources] for item, sources in found.items()} == {
        "one": ["A", "B", None],
        "two": ["A"],
    }


def test_empty_annotations_and_empty_packs(tmp_path: Path) -> None:
    empty = ChordAnnotation(np.empty((0, 2)), ())
    found = readings_of(pack_of(tmp_path / "x.parquet", {"x": Reading(((None, empty),)), "y": Reading(())}))
    assert found["x"].annotations[0][1].intervals.shape == (0, 2)
    assert readings_of(pack_of(tmp_path / "y.parquet", {})) == {}


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kammerton.formats.packs._ROWS", 3)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("most", [4_000_000, 5])
def test_blocks_are_read_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """A group of the file has at most ``most`` rows of annotations; a block may span several."""
    monkeypatch.setattr("kammerton.formats.packs._MOST_VALUES", most)
    readings = {
        f"{number}": Reading(((None, ChordAnnotation(SONG.intervals + number, SONG.labels)),))
        for number in range(40)
    }
    path = pack_of(tmp_path / "x.parquet", readings)
    pack = open_pack(path, TASK)
    assert len(pack.record.blocks) == 14
    for item in [*readings, *reversed(readings)]:  # backwards, each block has been let go of
        ((_, source),) = pack.sources(0)[item]
        assert source.read().annotations[0][1].intervals[0, 0] == float(item)


@pytest.mark.usefixtures("small_blocks")
def test_threads_read_side_by_side(tmp_path: Path) -> None:
    readings = {
        f"{number}": Reading(((None, ChordAnnotation(SONG.intervals + number, SONG.labels)),))
        for number in range(40)
    }
    pack = open_pack(pack_of(tmp_path / "x.parquet", readings), TASK)

    def begin(item: str) -> float:
        ((_, source),) = pack.sources(0)[item]
        return float(source.read().annotations[0][1].intervals[0, 0])

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(begin, [*readings, *reversed(readings)])) == [*range(40), *reversed(range(40))]


def test_sources_can_be_sent_to_other_processes(tmp_path: Path) -> None:
    ((_, source),) = open_pack(songs(tmp_path / "x.parquet"), TASK).sources(0)["1"]
    sent = pickle.dumps(source)
    assert len(sent) < 1000
    assert pickle.loads(sent).read().annotations[0][1].labels == ("C", "G:7")


def test_some_of_the_sources_are_sent_without_the_names_of_all(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    with new_pack(path, TASK, ChordOptions()) as writer:
        writer.begin(Collection("songs", {}))
        for begin in range(400):
            song = ChordAnnotation(np.array([[begin, begin + 1.0]]), ("C",))
            for told in ("A", "B") if begin == 7 else ("A",):
                writer.add(f"song {begin:03}", told, None, Reading(((None, song),)))
    whole = open_pack(path, TASK).sources(0)
    part = whole.only(["song 008", "nothing", "song 007", "song 300"])
    sent = pickle.dumps(part)
    assert len(sent) < 1000
    assert len(part) == 3
    assert [
        (item, [(told, source.read().annotations[0][1].intervals[0, 0]) for told, source in sources])
        for item, sources in pickle.loads(sent).items()
    ] == [("song 008", [("A", 8)]), ("song 007", [("A", 7), ("B", 7)]), ("song 300", [("A", 300)])]
    assert list(part.only(["song 300", "song 009"])) == ["song 300"]


@pytest.mark.usefixtures("small_blocks")
def test_sources_are_told_by_content(tmp_path: Path) -> None:
    """Equal packs have equal digests, wherever they lie; another annotation changes those of its block."""
    sides = [{f"{number}": Reading(((None, SONG),)) for number in range(6)} for _ in range(3)]
    sides[2]["4"] = Reading(((None, ChordAnnotation(SONG.intervals, ("C", "G"))),))
    digests = []
    for number, readings in enumerate(sides):
        sources = open_pack(pack_of(tmp_path / f"{number}.parquet", readings), TASK).sources(0)
        digests.append([source.digest for ((_, source),) in sources.values()])
    assert digests[0] == digests[1]
    assert len(set(digests[0])) == 6
    assert [one == other for one, other in zip(digests[0], digests[2], strict=True)] == [True] * 3 + [
        False
    ] * 3


def test_texts_are_numbered_as_they_are_needed() -> None:
    """Not by the codes of polars, which go on from whatever it met before."""
    frame = pl.DataFrame({"x": [["zeta", "alpha"], ["zeta"]]}, schema={"x": pl.List(pl.Categorical())})
    found = contents_of(frame)["x"]
    assert isinstance(found, ListColumn)
    assert found.names is not None
    assert sorted(found.names) == ["alpha", "zeta"]
    assert [found.names[place] for place in found.flat.tolist()] == ["zeta", "alpha", "zeta"]
    assert found.lengths.tolist() == [2, 1]


def test_what_is_a_pack(tmp_path: Path) -> None:
    songs(tmp_path / "x.parquet").rename(tmp_path / "x.lab")
    Path(tmp_path, "y.parquet").write_text("0 1 C")
    Path(tmp_path, "z.lab").write_text("0 1 C")
    Path(tmp_path, "folder.parquet").mkdir()
    found = [name for name in names(tmp_path) if is_pack(tmp_path / name)]
    assert found == ["x.lab", "y.parquet"]
    assert not is_pack(tmp_path / "nothing.parquet")
    assert not is_pack("a\0b.parquet")


def test_a_pack_of_pairs_is_no_collection(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    with new_pack(path, TASK, ChordOptions()) as writer:
        writer.begin(Collection("A", {}), "reference")
        writer.add("song", None, None, Reading(((None, SONG),)))
        writer.begin(Collection("B", {}), "system")
        writer.add("song", None, None, Reading(((None, SONG),)))
    options = ChordOptions()
    corpus = read_packed_pairs(path, task=TASK, options=options)
    assert [each.name for each in (*corpus.references, *corpus.systems)] == ["A", "B"]
    with pytest.raises(OptionError, match="holds references and systems: `A`, `B`"):
        collect_pack(path, name=None, task=TASK, options=options)
    alone = songs(tmp_path / "y.parquet")
    with pytest.raises(OptionError, match="holds one collection, and no pairs"):
        read_packed_pairs(alone, task=TASK, options=options)


def test_options_have_to_be_those_of_the_pack(tmp_path: Path) -> None:
    path = songs(tmp_path / "x.parquet")
    with pytest.raises(OptionError, match="packed with lenient as by default, and is read with lenient yes"):
        collect_pack(path, name=None, task=TASK, options=ChordOptions(lenient=True))
    # what decides only whether a file can be read, or how its text is, does not matter to a pack
    assert collect_pack(path, name="A", task=TASK, options=ChordOptions(encoding="cp1252")).name == "A"


def test_packs_of_respelled_labels_are_read_as_such(tmp_path: Path) -> None:
    path, options = tmp_path / "x.parquet", ChordOptions(lenient=True)
    with new_pack(path, TASK, options) as writer:
        writer.begin(Collection("songs", {}))
    assert collect_pack(path, name=None, task=TASK, options=options).name == "x"


def test_tasks_without_packing(tmp_path: Path) -> None:
    path = songs(tmp_path / "x.parquet")
    with pytest.raises(OptionError, match="annotations of chords are not packed"):
        packs.opened_pack(path, replace(TASK, packing=None), ChordOptions())


def test_a_pack_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = songs(tmp_path / "x.parquet", 1)
    before = path.read_bytes()
    with pytest.raises(ZeroDivisionError), new_pack(path, TASK, ChordOptions()):
        raise ZeroDivisionError
    assert path.read_bytes() == before
    assert names(tmp_path) == ["x.parquet"]


def test_the_same_is_the_same_bytes(tmp_path: Path) -> None:
    first, second = (songs(tmp_path / f"{name}.parquet", 50) for name in "ab")
    assert first.read_bytes() == second.read_bytes()


def test_failing_to_write_is_an_output_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import polars as pl  # noqa: PLC0415

    def fail(*_: object, **__: object) -> None:
        raise pl.exceptions.ComputeError("no space\nsomewhere")

    monkeypatch.setattr(pl.LazyFrame, "sink_parquet", fail)
    with pytest.raises(OutputError, match=r"^KT502 cannot write the pack: no space$"):
        songs(tmp_path / "x.parquet")
    assert names(tmp_path) == []


def test_scores_are_the_same_from_files_and_packs(tmp_path: Path) -> None:
    for side, rows in (("ref", "0 2 C\n2 4 G:7\n"), ("est", "0 3 C\n3 4 G\n")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "one.lab").write_text(rows)
        (tmp_path / side / "torn.lab").write_text("0 1 nonsense\n")
        kammerton.pack("chords", tmp_path / side, tmp_path / f"{side}.parquet")
    files = kammerton.score("chords", tmp_path / "ref", {"est": tmp_path / "est"})
    packed = kammerton.score("chords", tmp_path / "ref.parquet", {"est": tmp_path / "est.parquet"})
    assert packed.to_dict() == files.to_dict()
    assert packed.diagnostics == files.diagnostics
    assert any(each.severity == "error" for each in packed.diagnostics)


def test_nothing_to_pack(tmp_path: Path) -> None:
    (tmp_path / "torn.lab").write_text("0 1 nonsense\n")
    with pytest.raises(DataError):
        kammerton.pack("chords", tmp_path, tmp_path / "x.parquet")
    assert not (tmp_path / "x.parquet").exists()


@pytest.mark.parametrize("name", ["../x", "/x", "a/../b", "a//b", "..\\x", ".", "a\0b"])
def test_names_that_lead_out_of_a_folder(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.parquet"
    with new_pack(path, TASK, ChordOptions()) as writer:
        writer.begin(Collection("songs", {}))
        writer.add(name, None, None, Reading(((None, SONG),)))
        writer.add("sound", "A", None, Reading(((None, SONG),)))
    assert [stem for stem, *_ in unpacked(open_pack(path, TASK), TASK)] == [name, "A/sound"]
    done = kammerton.convert("chords", path, tmp_path / "out", to="lab")
    assert names(tmp_path / "out") == ["A"]
    assert [each.code for each in done.diagnostics] == ["KT727"]
    assert done.failed == (name,)


@pytest.mark.parametrize(
    ("file", "stem"), [("songs/a/b.lab", "a/b"), ("songs/a/b.other", "item"), ("else/b.lab", "item")]
)
def test_files_are_called_as_they_were_below_the_folder(tmp_path: Path, file: str, stem: str) -> None:
    path = tmp_path / "x.parquet"
    with new_pack(path, TASK, ChordOptions()) as writer:
        writer.begin(Collection("songs", {}, origin="songs"))
        writer.add("item", None, file, Reading(((None, SONG),)))
    ((found, name, _),) = unpacked(open_pack(path, TASK), TASK)
    assert (found, name) == (stem, file)


def test_what_is_in_the_way_of_a_pack(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.parquet")
    with pytest.raises(OutputError, match=r"KT501 cannot write `.*x\.parquet`: it is no file"):
        songs(tmp_path / "x.parquet")


def test_a_full_disk_leaves_the_earlier_pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = songs(tmp_path / "x.parquet", 1)
    before = path.read_bytes()

    def fail(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    said = r"(?s)^KT502 cannot write .*: no space left on device \(needs .*, .* free\).*was left as it was"
    with pytest.raises(OutputError, match=said):
        songs(path)
    assert path.read_bytes() == before
    assert names(tmp_path) == ["x.parquet"]


def test_a_folder_that_goes_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Path) -> None:
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", fail)
    with pytest.raises(OutputError, match="permission denied"):
        songs(tmp_path / "x.parquet")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"target": "x.parquet"}, "what is to be packed"),
        ({"source": {}}, "no output file is given"),
        ({"source": {}, "target": "x.csv"}, r"the name of a pack ends in \.parquet: `x\.csv`"),
    ],
)
def test_packing_needs_both_sides(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        kammerton.pack("chords", **arguments)


def test_columns_of_one_text_each() -> None:
    """No task of ours has one; the form has room for it."""
    found = PlainColumn(["a\\\\b", None, "c"]).of(np.array([True, False, True]), "text")
    assert found.texts == ["a\\b", "c"]
    assert found.offsets.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="has nulls"):
        PlainColumn([True, None]).of(np.array([True, True]), "flag")


def test_a_list_that_is_none_does_not_make_up_for_a_null_in_another() -> None:
    with pytest.raises(ValueError, match="has nulls"):
        ListColumn(np.array([-1, 2]), np.array([1.0])).of(np.array([True, True]), "real")
