# SPDX-License-Identifier: MIT
"""Finding files; numbers in ids are rows of the table of bad inputs."""

import os
import unicodedata
from pathlib import Path

import numpy as np
import pytest

import kammerton
from kammerton.chords import TASK, ChordOptions
from kammerton.errors import DataError, OptionError
from kammerton.formats import Found, find_files
from kammerton.formats.collecting import collect
from kammerton.formats.folders import normal_form
from unit.formats.telling import tell

SUFFIXES = (".lab", ".txt", ".chords.jams", ".jams")


def make(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("0 1 C\n")


def items(found: Found[Path], root: Path) -> dict[str, list[str]]:
    return {
        item: [path.relative_to(root).as_posix() for path in paths] for item, paths in found.files.items()
    }


def told(found: Found[Path], root: Path) -> list[str]:
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
    ("name", "item"),
    [("a.lab", "a"), ("b v1.2.lab", "b v1.2"), ("c.csv", "c"), ("d", "d"), (".lab", ".lab")],
)
def test_a_file_is_one_item(tmp_path: Path, name: str, item: str) -> None:
    make(tmp_path, name)
    found = find_files(str(tmp_path / name), suffixes=SUFFIXES)
    assert found == Found({item: [tmp_path / name]}, (), (), single=True)


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
    assert find_files(tmp_path, suffixes=SUFFIXES) == Found({}, (), ())


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


def test_links_within_the_folder_are_followed(tmp_path: Path) -> None:
    make(tmp_path, "root/x/a.lab")
    (tmp_path / "root/b.lab").symlink_to("x/a.lab")
    found = find_files(tmp_path / "root", suffixes=SUFFIXES)
    assert items(found, tmp_path / "root") == {"b": ["b.lab"], "x/a": ["x/a.lab"]}


def test_links_out_of_the_folder_are_refused(tmp_path: Path) -> None:
    make(tmp_path, "secret.lab", "rooted/a.lab", "root/a.lab")
    (tmp_path / "root/b.lab").symlink_to("../secret.lab")
    (tmp_path / "root/c.lab").symlink_to(tmp_path / "rooted/a.lab")
    found = find_files(tmp_path / "root", suffixes=SUFFIXES)
    assert list(found.files) == ["a"]
    assert told(found, tmp_path / "root") == [
        "b.lab",
        f"error KT107 link leads out of the folder, to `{os.path.realpath(tmp_path)}/secret.lab`",
        "  help: copy the file to where the link is",
        "c.lab",
        f"error KT107 link leads out of the folder, to `{os.path.realpath(tmp_path)}/rooted/a.lab`",
        "  help: copy the file to where the link is",
    ]


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    make(tmp_path, "x/a.lab")
    (tmp_path / "x/loop").symlink_to("..")
    found = find_files(tmp_path, suffixes=SUFFIXES)
    assert list(found.files) == ["x/a"]
    assert told(found, tmp_path) == ["x/loop", "note KT205 ignored: a link to a folder"]


def test_links_to_nothing_are_items_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.lab").symlink_to("nowhere.lab")
    (tmp_path / "b.lab").symlink_to("b.lab")
    assert list(find_files(tmp_path, suffixes=SUFFIXES).files) == ["a", "b"]


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


def test_a_link_that_leads_out_breaks_no_item_that_has_another_file(tmp_path: Path) -> None:
    make(tmp_path, "elsewhere/a.lab", "songs/a.txt")
    for name in ("a.lab", "b.lab"):
        (tmp_path / "songs" / name).symlink_to(tmp_path / "elsewhere/a.lab")
    found = collect(tmp_path / "songs", name=None, default_name="x", task=TASK, options=ChordOptions())
    assert list(found.sources) == ["a"]
    assert found.broken == {"b": "link leads out of the folder"}


def test_keys_that_had_to_be_composed_are_remembered() -> None:
    items = {"e\u0301": ([(0, 1)], ["C"]), "plain": ([(0, 1)], ["C"])}
    found = collect(items, name=None, default_name="x", task=TASK, options=ChordOptions())
    assert list(found.sources) == ["\u00e9", "plain"]
    assert found.written == {"\u00e9": "e\u0301"}
