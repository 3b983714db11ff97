# SPDX-License-Identifier: MIT
"""Finding files; numbers in ids are rows of the table of bad inputs."""

import itertools
import os
import unicodedata
from pathlib import Path

import numpy as np
import pytest

import kammerton
from kammerton.chords import TASK, ChordOptions
from kammerton.errors import DataError, OptionError
from kammerton.formats import FoundItems, find_files
from kammerton.formats.collecting import collect, find
from kammerton.formats.folders import item_name, normal_form
from kammerton.model.registry import find_task
from unit.formats.telling import tell

SUFFIXES = (".lab", ".txt", ".chords.jams", ".jams")


def make(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("0 1 C\n")


def items(found: FoundItems[Path], root: Path) -> dict[str, list[str]]:
    return {
        item: [path.relative_to(root).as_posix() for path in paths] for item, paths in found.files.items()
    }


def told(found: FoundItems[Path], root: Path) -> list[str]:
    """Return file, problem and hint of each diagnostic as lines."""
    return [
        line
        for problem in found.diagnostics
        for line in (os.path.relpath(str(problem.file), root), *tell(problem).split("\n"))
    ]


NAMES = {
    "a.lab": "a",
    "deep/er/a.lab": "deep/er/a",
    "01. Song v1.2.lab": "01. Song v1.2",
    "with space/b c.TXT": "with space/b c",
    "Café.lab": "Café",
    "x.chords.jams": "x",
    "y.jams": "y",
    "a.lab.txt": "a.lab",
    "-dash.lab": "-dash",
    "new\nline.lab": "new\nline",
    "ΐ.lab": "ΐ",
}


def test_items_are_paths_without_suffix(tmp_path: Path) -> None:
    make(tmp_path, *NAMES)
    found = find_files(tmp_path, suffixes=SUFFIXES)
    assert items(found, tmp_path) == {item: [name] for name, item in NAMES.items()}
    assert list(found.files) == sorted(NAMES.values())
    assert found.ignored == ()
    assert found.diagnostics == ()


@pytest.mark.parametrize(
    ("name", "item"), [("a.lab", "a"), ("b v1.2.lab", "b v1.2"), ("c.csv", "c"), ("d", "d"), (".lab", ".lab")]
)
def test_a_file_is_one_item(tmp_path: Path, name: str, item: str) -> None:
    make(tmp_path, name)
    found = find_files(str(tmp_path / name), suffixes=SUFFIXES)
    assert found == FoundItems({item: [tmp_path / name]}, (), (), single=True)


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"no such file or folder: `.*/nowhere`"):
        find_files(tmp_path / "nowhere", suffixes=SUFFIXES)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("Ground-Truh", "Ground-Truth"),
        ("ground-truth", "Ground-Truth"),
        ("Ground-Trut/Beatles", "Ground-Truth/Beatles"),
        ("Ground-Trut/Queen", None),
        ("Ground-Truth/Beatels", "Ground-Truth/Beatles"),
        ("nowhere", None),
        ("link/Beatels", None),
    ],
)
def test_the_nearest_path_that_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, meant: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("Ground-Truth/Beatles").mkdir(parents=True)
    Path("link").symlink_to("elsewhere")
    for top in ("", f"{tmp_path}/"):
        with pytest.raises(OptionError, match="no such file or folder") as raised:
            find_files(top + given, suffixes=SUFFIXES)
        assert raised.value.hint == (meant and f"did you mean `{top}{meant}`?")


def test_an_empty_folder(tmp_path: Path) -> None:
    assert find_files(tmp_path, suffixes=SUFFIXES) == FoundItems({}, (), ())


IGNORED = {
    ".DS_Store": "hidden",
    ".git/a.lab": "hidden",
    ".hidden.lab": "hidden",
    "._a.lab": "left by macOS",
    "__MACOSX/._b.lab": "left by macOS",
    "Thumbs.db": "left by Windows",
    "desktop.ini": "left by Windows",
    "a.lab~": "an editor's backup",
    "#06-Smoke_On_The_Water.svl#": "an editor's backup",
    "sedABC123": "left by sed",
    "readme.md": "suffix not recognised",
    "lab": "suffix not recognised",
}


def test_93_litter_is_listed(tmp_path: Path) -> None:
    make(tmp_path, "a.lab", *IGNORED)
    found = find_files(tmp_path, suffixes=SUFFIXES)
    assert items(found, tmp_path) == {"a": ["a.lab"]}
    shown = {(".git" if ".git" in name else name.partition("/")[0]): why for name, why in IGNORED.items()}
    assert [Path(path).name for path in found.ignored] == sorted(shown)
    assert told(found, tmp_path) == [
        line for name in sorted(shown) for line in (name, f"note KT205 ignored: {shown[name]}")
    ]


def test_much_litter_is_counted(tmp_path: Path) -> None:
    make(tmp_path, *(f"{number:02}.wav" for number in range(23)))
    found = find_files(tmp_path, suffixes=SUFFIXES)
    assert len(found.ignored) == 23
    assert len(found.diagnostics) == 21
    assert tell(found.diagnostics[-1]) == "note KT205 and 3 more like these (3 in all)"


def test_35_two_suffixes(tmp_path: Path) -> None:
    make(tmp_path, "x/a.txt", "x/a.lab", "x/b.lab")
    found = find_files(tmp_path, suffixes=SUFFIXES)
    assert items(found, tmp_path) == {"x/a": ["x/a.lab", "x/a.txt"], "x/b": ["x/b.lab"]}
    assert told(found, tmp_path) == [
        "x/a.lab",
        "error KT201 2 files for one item `x/a`: `x/a.lab`, `x/a.txt`",
        "  help: keep one of them, or rename",
    ]


def test_35_names_that_differ_in_case(tmp_path: Path) -> None:
    make(tmp_path, "A.lab", "a.lab")
    found = find_files(tmp_path, suffixes=SUFFIXES)
    assert items(found, tmp_path) == {"A": ["A.lab", "a.lab"]}
    assert told(found, tmp_path) == [
        "A.lab",
        "error KT201 2 files for one item `A`: `A.lab`, `a.lab`",
        "  help: the names differ in case only: rename one",
    ]


def test_36_names_that_differ_in_unicode_form(tmp_path: Path) -> None:
    composed, decomposed = (unicodedata.normalize(form, "Café") for form in ("NFC", "NFD"))
    make(tmp_path, f"{composed}.lab", f"{decomposed}.lab")
    found = find_files(tmp_path, suffixes=SUFFIXES)
    assert list(found.files) == [composed]
    assert len(found.files[composed]) == 2
    (problem,) = found.diagnostics
    assert problem.code == "KT201"
    assert problem.hint == "the names look the same, but differ in Unicode form (NFC and NFD): rename one"


def test_36_items_are_composed(tmp_path: Path) -> None:
    make(tmp_path, unicodedata.normalize("NFD", "Café") + ".lab")
    assert list(find_files(tmp_path, suffixes=SUFFIXES).files) == [unicodedata.normalize("NFC", "Café")]


def test_a_name_composed_to_plain_letters_is_remembered_as_written(tmp_path: Path) -> None:
    make(tmp_path, "273 \N{KELVIN SIGN}.lab")
    assert find_files(tmp_path, suffixes=SUFFIXES).written == {"273 K": "273 \N{KELVIN SIGN}"}


def test_34_names_that_are_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.lab")
    path.write_text("0 1 C\n")
    (tmp_path / os.fsdecode(b"\xff.md")).touch()
    found = find_files(tmp_path, suffixes=SUFFIXES)
    assert found.files == {"caf\\xe9": [path]}
    assert found.diagnostics[0].concise().endswith("\\udcff.md: KT205 ignored: suffix not recognised")


def test_a_byte_that_is_spelled_out_is_not_the_name_of_another_file(tmp_path: Path) -> None:
    byte, characters = tmp_path / os.fsdecode(b"caf\xe9.lab"), tmp_path / r"caf\xe9.lab"
    for path in (byte, characters):
        path.write_text("0 1 C\n")
    found = find_files(tmp_path, suffixes=SUFFIXES)
    assert found.files == {r"caf\xe9": [byte], r"caf\\xe9": [characters]}
    assert found.diagnostics == ()
    assert find_files(characters, suffixes=SUFFIXES).files == {r"caf\\xe9": [characters]}


@pytest.mark.parametrize("length", range(6))
def test_no_two_names_of_files_are_one_item(length: int) -> None:
    pieces = ("\\", "x", "e9", "\udce9", "ud800", "\ud800", "a")
    names = {"".join(chosen) for chosen in itertools.product(pieces, repeat=length)}
    assert len({item_name(name) for name in names}) == len(names)
    for name in names:
        item_name(name).encode()  # can be written


@pytest.mark.parametrize("name", ["AC\\DC", "a\\b", "\\x", "\\xg0", "\\u12", "a/b\\", "\\\\", "C\\X41"])
def test_other_backslashes_stay(name: str) -> None:
    assert item_name(name) == name


def test_links_to_files_are_followed_within_the_folder_and_out_of_it(tmp_path: Path) -> None:
    make(tmp_path, "blobs/3f9a.lab", "blobs/77", "root/x/a.lab")
    (tmp_path / "root/b.lab").symlink_to("x/a.lab")
    (tmp_path / "root/c.lab").symlink_to("../blobs/3f9a.lab")
    (tmp_path / "root/d.lab").symlink_to(tmp_path / "blobs/77")  # named by the link, as hubs lay folders out
    found = find_files(tmp_path / "root", suffixes=SUFFIXES)
    assert items(found, tmp_path / "root") == {
        "b": ["b.lab"],
        "c": ["c.lab"],
        "d": ["d.lab"],
        "x/a": ["x/a.lab"],
    }
    assert found.diagnostics == ()


def test_links_to_folders_are_followed_within_the_folder_and_out_of_it(tmp_path: Path) -> None:
    make(tmp_path, "elsewhere/deep/a.lab", "elsewhere/.git/b.lab", "root/x/c.lab")
    (tmp_path / "root/album").symlink_to("../elsewhere", target_is_directory=True)
    (tmp_path / "root/y").symlink_to("x")
    (tmp_path / "elsewhere/more").symlink_to(tmp_path / "root/x")
    found = find_files(tmp_path / "root", suffixes=SUFFIXES)
    assert list(found.files) == ["album/deep/a", "album/more/c", "x/c", "y/c"]
    assert told(found, tmp_path / "root") == ["album/.git", "note KT205 ignored: hidden"]


@pytest.mark.parametrize("target", [".", "..", "../.."], ids=["itself", "the folder above", "the one beyond"])
def test_a_link_back_is_not_followed(tmp_path: Path, target: str) -> None:
    make(tmp_path, "root/x/a.lab")
    (tmp_path / "root/x/loop").symlink_to(target)
    found = find_files(tmp_path / "root", suffixes=SUFFIXES)
    assert list(found.files) == ["x/a"]
    real = os.path.realpath(tmp_path / "root/x" / target)
    assert told(found, tmp_path / "root") == [
        "x/loop",
        f"warning KT107 link not followed: it leads back to `{real}`, in which it lies",
    ]


def test_two_folders_that_link_to_each_other_are_gone_through_once_each_way(tmp_path: Path) -> None:
    make(tmp_path, "root/a/1.lab", "root/b/2.lab")
    (tmp_path / "root/a/to").symlink_to("../b")
    (tmp_path / "root/b/to").symlink_to("../a")
    found = find_files(tmp_path / "root", suffixes=SUFFIXES)
    assert list(found.files) == ["a/1", "a/to/2", "b/2", "b/to/1"]
    assert [(said.code, said.severity) for said in found.diagnostics] == [("KT107", "warning")] * 2


@pytest.mark.slow
def test_links_that_multiply_have_an_end(tmp_path: Path) -> None:
    for level in range(40):  # two ways down from each level: 2**40 folders
        make(tmp_path, f"root/{level:02}/a.lab")
        for name in ("left", "right"):
            (tmp_path / f"root/{level:02}" / name).symlink_to(f"../{level + 1:02}")
    found = find_files(tmp_path / "root", suffixes=SUFFIXES)
    assert 40 <= len(found.files) < 40 * 102
    assert {(said.code, said.severity) for said in found.diagnostics} >= {("KT107", "error")}


def test_links_to_nothing_are_items_that_cannot_be_read_or_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.lab").symlink_to("nowhere.lab")
    (tmp_path / "b.lab").symlink_to("b.lab")
    (tmp_path / "album").symlink_to("nowhere")
    found = find_files(tmp_path, suffixes=SUFFIXES)
    assert list(found.files) == ["a", "b"]
    real = os.path.realpath(tmp_path)
    assert told(found, tmp_path) == [
        "album",
        f"warning KT107 link leads nowhere that can be read: `{real}/nowhere`",
    ]


def test_the_folder_may_be_a_link(tmp_path: Path) -> None:
    make(tmp_path, "root/a.lab")
    (tmp_path / "link").symlink_to("root")
    assert list(find_files(tmp_path / "link", suffixes=SUFFIXES).files) == ["a"]


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders called ``closed`` may not be listed."""
    scan = os.scandir

    def scandir(folder: Path) -> object:
        if folder.name == "closed":
            raise PermissionError(13, "Permission denied")
        return scan(folder)

    monkeypatch.setattr(os, "scandir", scandir)


@pytest.mark.usefixtures("closed")
def test_33_folders_that_cannot_be_read(tmp_path: Path) -> None:
    make(tmp_path, "a.lab", "closed/b.lab")
    found = find_files(tmp_path, suffixes=SUFFIXES)
    found.check_not_empty(tmp_path, SUFFIXES)
    assert list(found.files) == ["a"]
    assert told(found, tmp_path) == ["closed", "error KT101 folder cannot be read: permission denied"]


@pytest.mark.usefixtures("closed")
def test_what_may_be_in_a_closed_folder_is_not_nothing(tmp_path: Path) -> None:
    make(tmp_path, "closed/b.lab")
    with pytest.raises(DataError, match="KT101 folder cannot be read: permission denied"):
        find_files(tmp_path, suffixes=SUFFIXES).check_not_empty(tmp_path, SUFFIXES)


def test_a_folder_without_files_is_refused(tmp_path: Path) -> None:
    make(tmp_path, "README", "a.xyz", "b.XYZ")
    with pytest.raises(OptionError, match="no annotation files in") as raised:
        find_files(tmp_path, suffixes=SUFFIXES).check_not_empty(tmp_path, SUFFIXES)
    read = "suffixes read: .chords.jams, .jams, .lab, .txt"
    assert raised.value.hint == f"{read}; there: 2 files ending in `.xyz`"
    (tmp_path / "a.xyz").unlink()
    (tmp_path / "b.XYZ").unlink()
    with pytest.raises(OptionError) as raised:
        find_files(tmp_path, suffixes=SUFFIXES).check_not_empty(tmp_path, SUFFIXES)
    assert raised.value.hint == f"{read}; there: 1 file without a suffix"


def test_a_path_behind_a_closed_folder_is_not_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lstat(_: Path) -> os.stat_result:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "lstat", lstat)
    with pytest.raises(OptionError, match=r"^permission denied: `"):
        find_files(tmp_path / "a", suffixes=SUFFIXES)


def test_half_surrogate_pairs_in_names_are_spelled_out() -> None:
    """JSON may have them, and no output can hold them."""
    song = {"\ud83c song": (np.array([[0.0, 1.0]]), ["C"])}
    scores = kammerton.score("chords", song, song, measures=["mirex2013/Root"], ci=None)
    assert scores.items["item"].to_list() == ["\\ud83c song"]
    assert normal_form("caf\udce9 \udfff") == "caf\\xe9 \\udfff"


PROSE = "MIT License\n\nCopyright (c) 2020 Zoe\n1. Do what you want.\n"
INDEX = "id,title,artist\n1,Blue,Ann\n2,Red,Bob\n"
ROWS = {
    "chords": ("song.lab", "0 2 C\n"),
    "fingering": ("song-1_fingering.txt", "0\t0.0\t0.5\tC4\t64\t80\t0\t1\n"),
    "instruments": ("song.txt", "piano\nvoice\n"),
}


@pytest.mark.parametrize("task", ROWS)
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("README.txt", PROSE),
        ("readme.txt", "Chords by two students.\n"),
        ("00-README-first.txt", PROSE),
        ("LICENSE.txt", PROSE),
        ("licence_cc-by.txt", PROSE),
        ("billboard-2.0-index.csv", INDEX),
        ("sub/index.csv", INDEX),
        ("checksums.txt", "d41d8c song.lab\nffa01b song2.lab\n"),
    ],
)
def test_texts_about_the_data_are_passed_over_with_a_note(
    tmp_path: Path, task: str, name: str, text: str
) -> None:
    song, rows = ROWS[task]
    (tmp_path / "sub").mkdir()
    (tmp_path / song).write_text(rows)
    (tmp_path / name).write_text(text)
    record = find_task(task)
    assert len(find(tmp_path, record, record.options()).files) == 1
    collection = collect(tmp_path, name=None, default_name="x", task=record, options=record.options())
    assert len(collection.sources) == 1
    (note,) = collection.diagnostics
    assert (note.code, note.severity, note.file) == ("KT205", "note", str(tmp_path / name))
    assert "ignored: " in note.message


@pytest.mark.parametrize(
    ("task", "name", "text"),
    [
        ("chords", "README.txt", "0 2 C\n2 1 G\n"),  # rows, one of them wrong
        ("chords", "README.lab", PROSE),  # a suffix that no text has
        ("chords", "index.csv", "start,end,label\n0,x,C\n"),
        ("chords", "Changes.txt", PROSE),  # a song may be called so
        ("chords", "About a Girl.txt", PROSE),
        ("chords", "metadata.json", '{"annotations": [\n{"namespace": "chord", "data": 1}]}'),
        ("fingering", "index.txt", "0\t0.0\t0.5\tC4\t64\t80\t0\n"),
        ("instruments", "metadata.csv", "file,instrument\nsong,piano\n"),
        ("instruments", "metadata.yaml", "stems: ["),
        ("instruments", "About a Girl.txt", "a voice that sings of a girl\n"),
    ],
)
def test_what_may_be_an_annotation_is_not_passed_over(
    tmp_path: Path, task: str, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text)
    record = find_task(task)
    assert len(find(tmp_path, record, record.options()).files) == 1


def test_a_text_that_is_named_itself_is_read(tmp_path: Path) -> None:
    (tmp_path / "README.txt").write_text(PROSE)
    found = find(tmp_path / "README.txt", TASK, ChordOptions())
    assert list(found.files) == ["README"]


def test_a_text_about_the_data_in_another_encoding_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "README.txt").write_bytes("Akkorde von Zo\xeb\n".encode("latin-1"))
    assert find(tmp_path, TASK, ChordOptions()).files == {}


def test_keys_that_had_to_be_composed_are_remembered() -> None:
    items = {"e\u0301": ([(0, 1)], ["C"]), "plain": ([(0, 1)], ["C"])}
    found = collect(items, name=None, default_name="x", task=TASK, options=ChordOptions())
    assert list(found.sources) == ["\u00e9", "plain"]
    assert found.written == {"\u00e9": "e\u0301"}


def test_a_text_that_cannot_be_read_is_no_prose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "README.txt").write_text(PROSE)
    make(tmp_path, "a.lab")

    def refused(*_: object, **__: object) -> bytes:
        raise DataError([])

    monkeypatch.setattr("kammerton.formats.collecting.read_bytes", refused)
    assert set(find(tmp_path, TASK, ChordOptions()).files) == {"README", "a"}


@pytest.mark.parametrize(
    ("text", "usual", "is_passed_over"),
    [
        ("Some notes about the songs.\nThe last one is incomplete.\n", ".lab", True),
        ("Some notes about the songs.\n", ".txt", False),  # of an annotation, its reader tells what is wrong
        ("0 2 C\n2 4 G\n", ".lab", False),
        ("", ".lab", False),
    ],
)
def test_prose_beside_files_of_another_suffix_is_passed_over_with_a_note(
    tmp_path: Path, text: str, usual: str, is_passed_over: bool
) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}{usual}").write_text("0 2 C\n")
    (tmp_path / "notes.txt").write_text(text)
    checked = kammerton.check("chords", tmp_path)
    notes = [found.message for found in checked.diagnostics if found.code == "KT205"]
    assert notes == (
        ["ignored: no annotation by what it holds, beside files ending in `.lab`"] if is_passed_over else []
    )
    assert ("notes" in "".join(checked.files)) is not is_passed_over
