# SPDX-License-Identifier: MIT
"""Arrays of OpenMIC-2018, and archives that are none."""

import io
import pickle
import struct
import tracemalloc
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kammerton.formats import Limits
from kammerton.instruments.formats.binary import INSTRUMENTS
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.reading import read_instruments, unfold
from kammerton.instruments.taxonomy_files import load_taxonomy
from unit.instruments.listing import items, told, write

KEYS = np.array(["000046_3840", "000135_483840"])


def arrays(**changed: Any) -> dict[str, Any]:
    """Return two clips and three labels: F is at the threshold, and half of the pairs were judged."""
    found = {
        "X": np.zeros((2, 10, 128)),
        "Y_true": np.array([[0.171, 0.5, 0.5], [0.5, 0.75, 0.2]]),
        "Y_mask": np.array([[True, True, False], [False, True, False]]),
        "sample_key": KEYS,
        "labels": np.array(["E", "F", "G"]),
    }
    return {name: value for name, value in (found | changed).items() if value is not None}


def archive(folder: Path, *, packed: bool = False, **changed: Any) -> Path:
    path = folder / "openmic.npz"
    (np.savez_compressed if packed else np.savez)(path, **arrays(**changed))
    return path


def said(path: Path, **options: Any) -> str:
    chosen = InstrumentOptions(**options)
    assert unfold(path, "a", chosen) is None
    reading = read_instruments(path, "a", chosen)
    assert reading.annotations == ()
    return told(reading.diagnostics)


def with_member(folder: Path, name: str, content: bytes) -> Path:
    """Write an archive in which one array is these bytes."""
    path = folder / "openmic.npz"
    np.savez(path, **arrays(**{name: None}))
    with zipfile.ZipFile(path, "a") as members:
        members.writestr(f"{name}.npy", content)
    return path


@pytest.mark.parametrize("packed", [False, True])
def test_judged_labels_are_present_or_absent(tmp_path: Path, packed: bool) -> None:
    found = unfold(archive(tmp_path, packed=packed))
    assert found is not None
    assert items(found) == {"000046_3840": "{F !E ...}", "000135_483840": "{F ...}"}
    assert [(each.code, each.message) for each in found.diagnostics] == [
        ("KT614", "3 of 6 pairs of item and instrument were judged; the rest is neither right nor wrong")
    ]


def test_threshold_and_assumption_are_the_callers(tmp_path: Path) -> None:
    options = InstrumentOptions(truth_threshold=">0.5", assume_absent=True)
    found = unfold(archive(tmp_path), options=options)
    assert found is not None
    assert items(found) == {"000046_3840": "{!E !F}", "000135_483840": "{F}"}


def test_other_kinds_of_numbers_and_text(tmp_path: Path) -> None:
    path = archive(
        tmp_path,
        Y_true=np.asfortranarray([[0, 1, 1], [0, 1, 0]], dtype=np.float32),
        Y_mask=np.array([[1, 1, 0], [0, 1, 0]]),
        sample_key=KEYS.astype("S"),
    )
    found = unfold(path)
    assert found is not None
    assert items(found) == {"000046_3840": "{F !E ...}", "000135_483840": "{F ...}"}


def test_without_names_the_columns_are_those_of_the_data_set(tmp_path: Path) -> None:
    relevance = np.full((1, 20), 0.5)
    relevance[0, 12] = 1.0
    path = archive(
        tmp_path, labels=None, Y_true=relevance, Y_mask=relevance > 0.5, sample_key=np.array(["a"])
    )
    found = unfold(path)
    assert found is not None
    assert items(found) == {"a": "{piano ...}"}
    assert set(INSTRUMENTS) == set(load_taxonomy("openmic-2018").leaves)
    assert sorted(INSTRUMENTS) == list(INSTRUMENTS)


def test_a_clip_that_stands_twice(tmp_path: Path) -> None:
    found = unfold(archive(tmp_path, sample_key=np.array(["a", "a"])), "a")
    assert found is not None
    assert found.broken == {"a": "KT618 item stands twice: `a`"}
    assert {each.code: each.hint for each in found.diagnostics if each.code != "KT614"} == {
        "KT618": "it stands first at row index 0: take one of the two out"
    }


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (
            {"Y_true": np.array([[0.171, INF, 0.5], [0.5, 0.75, 0.2]])},
            "`Y_true` is no number from 0 to 1: inf",
        ),
        ({"Y_true": np.array([[0, 7, 1], [0, 1, 0]])}, "`Y_true` is no number from 0 to 1: 7"),
        ({"Y_true": np.array([[0, -0.5, 1], [0, 1, 0]])}, "`Y_true` is no number from 0 to 1: -0.5"),
        ({"Y_mask": np.array([[1, 2, 0], [0, 1, 0]])}, "`Y_mask` is neither 0 nor 1: 2"),
        ({"Y_mask": np.array([[1, NAN, 0], [0, 1, 0]])}, "`Y_mask` is neither 0 nor 1: nan"),
    ],
)
def test_a_clip_with_numbers_out_of_range_is_broken(
    tmp_path: Path, changed: dict[str, Any], reason: str
) -> None:
    sheet = unfold(archive(tmp_path, **changed), "a")
    assert sheet is not None
    assert sheet.broken == {"000046_3840": f"KT609 {reason} for `F`"}
    assert items(sheet) == {"000135_483840": "{F ...}"}


def test_what_is_judged_as_nan_is_noted(tmp_path: Path) -> None:
    sheet = unfold(archive(tmp_path, Y_true=np.array([[0.171, NAN, NAN], [NAN, 0.75, 0.2]])), "a")
    assert sheet is not None
    assert items(sheet) == {"000046_3840": "{!E ...}", "000135_483840": "{F ...}"}
    assert told(sheet.diagnostics).split("\n")[0] == (
        "note KT612 row index 0: `Y_true` is not a number for `F`, and counts as not judged"
    )


# --- arrays that cannot be used ------------------------------------------------------------


@pytest.mark.parametrize("name", ["sample_key", "Y_true", "labels"])
def test_objects_are_not_unpickled(tmp_path: Path, name: str) -> None:
    class Trap:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "sprung",))

    path = tmp_path / "a.npz"
    np.savez(path, **arrays(**{name: np.array([Trap(), "b"], dtype=object)}))
    assert said(path) == (
        f"error KT635 array `{name}` holds pickled objects other than text, which are not loaded\n"
        f"  help: save it again as text: {name}.astype(str)"
    )
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"Y_mask": None}, "error KT634 archive has no array `Y_mask`"),
        ({"labels": np.array(["E", "F", "E"])}, "error KT617 array `labels` has a name twice"),
        (
            {"labels": np.array(["E"])},
            "error KT634 array `Y_true` is numbers of shape (2, 3), not a number for",
        ),
        (
            {"labels": None},
            "error KT634 array `Y_true` is numbers of shape (2, 3), not a number for each of 2",
        ),
        (
            {"Y_mask": np.array([True])},
            "error KT634 array `Y_mask` is numbers of shape (1,), not a number for",
        ),
        ({"Y_true": np.full((2, 3), "0.5")}, "error KT634 array `Y_true` is <U3, not a number for each of 2"),
        (
            {"sample_key": KEYS[None]},
            "error KT634 array `Y_true` is numbers of shape (2, 3), not a number for",
        ),
        ({"sample_key": np.arange(2)}, "error KT634 array `sample_key` is of int64, not of text"),
        ({"sample_key": np.zeros(2, "M8[s]")}, "error KT634 array `sample_key` is of datetime64[s], not of"),
        ({"sample_key": np.zeros(2, "i4,f8")}, "error KT634 array `sample_key` is of [('f0', '<i4'), ('f1',"),
    ],
)
def test_arrays_that_do_not_fit(tmp_path: Path, changed: dict[str, Any], expected: str) -> None:
    assert said(archive(tmp_path, **changed)).startswith(expected)


def test_no_clips(tmp_path: Path) -> None:
    empty: dict[str, Any] = {
        "Y_true": np.empty((0, 3)),
        "Y_mask": np.empty((0, 3), bool),
        "sample_key": KEYS[:0],
    }
    assert said(archive(tmp_path, **empty)) == "error KT110 no annotation rows"


def test_budgets_of_rows_and_bytes(tmp_path: Path) -> None:
    path = archive(tmp_path)
    assert said(path, limits=Limits(rows=1)) == "error KT106 2 rows: over the limit of 1"
    assert said(path, limits=Limits(bytes=500)) == (
        "error KT636 `Y_true.npy`, `Y_mask.npy`, `sample_key.npy`, `labels.npy` take 682 bytes: "
        "over the limit of 500\n  help: --max-file-size 1MiB allows for it"
    )


def test_features_do_not_count_and_are_not_read(tmp_path: Path) -> None:
    path = archive(tmp_path, X=np.zeros((2, 1000, 128)))
    features = zipfile.ZipFile(path).getinfo("X.npy").file_size
    assert features > 2**20
    with path.open("r+b") as file:  # whoever unpacked X would find it damaged
        file.seek(500_000)
        file.write(b"x" * 1000)
    found = unfold(path, options=InstrumentOptions(limits=Limits(bytes=1000)))
    assert found is not None
    assert set(found.items) == {*KEYS}


# --- OpenMIC-2018 as it was published --------------------------------------------------------


def published(folder: Path, keys: Sequence[object], protocol: int) -> Path:
    """Write an archive whose names of clips are pickled."""
    pickled = np.empty(len(keys), dtype=object)
    pickled[:] = keys
    head = {"descr": "|O", "fortran_order": False, "shape": (len(keys),)}
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, head)
    stream.write(pickle.dumps(pickled, protocol=protocol))
    return with_member(folder, "sample_key", stream.getvalue())


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_pickled_names_of_clips_are_read(tmp_path: Path, protocol: int) -> None:
    found = unfold(published(tmp_path, list(map(str, KEYS)), protocol))
    assert found is not None
    assert items(found) == {"000046_3840": "{F !E ...}", "000135_483840": "{F ...}"}


def test_pickles_of_earlier_versions_of_numpy_are_read(tmp_path: Path) -> None:
    path = published(tmp_path, ["one", "é"], 3)
    with zipfile.ZipFile(path) as archive:
        content = archive.read("sample_key.npy").replace(b"numpy._core.multiarray", b"numpy.core.multiarray")
    found = unfold(with_member(tmp_path, "sample_key", content))
    assert found is not None
    assert set(found.items) == {"one", "é"}


class Str(str):
    """Looks like a string."""


@pytest.mark.parametrize("protocol", [2, 4])
@pytest.mark.parametrize("key", [7, None, b"a", ["a"], np.str_("a"), Str("a"), Path("a")], ids=repr)
def test_other_objects_are_refused(tmp_path: Path, key: object, protocol: int) -> None:
    assert said(published(tmp_path, ["a", key], protocol)).startswith("error KT635 array `sample_key` holds")


@pytest.mark.parametrize(
    "program",
    [
        b"",
        b"\x80\x04.",
        b"\x80\x04N.",
        b"\x80\x04]r\xff\xff\xff\xff.",  # a memo of 2**32 places
        b"\x80\x04X\xff\xff\xff\x7fa.",  # a string of 2 GB
        b"cbuiltins\neval\n(S'1'\ntR.",
        b"cnumpy\nndarray\n(tR.",
        b"cnumpy\nndarray\n.",
        b"cnumpy\nndarray\n}b.",
        b"cnumpy\nndarray\n(tR(K\x01K\x02K\x03K\x04]tb.",  # not the shape of the head
        b"cnumpy\nndarray\n(tR(K\x01(K\x02tK\x03K\x04]tb.",  # fewer strings than the head says
    ],
)
def test_pickles_that_are_no_arrays_of_text(tmp_path: Path, program: bytes) -> None:
    path = published(tmp_path, ["a", "b"], 4)
    with zipfile.ZipFile(path) as archive:
        content = archive.read("sample_key.npy")
    head = content[: content.index(b"\n") + 1]
    assert said(with_member(tmp_path, "sample_key", head + program)).startswith("error KT635 array")


# --- archives that cannot be used ----------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x05\x06" + bytes(10), b"file,E\na,1\n"])
def test_files_that_are_no_archives(tmp_path: Path, content: bytes) -> None:
    expected = "error KT634 not a zip archive, or cut off\n  help: arrays are saved by numpy.savez"
    expected = "error KT110 no annotation rows" if not content else expected
    assert said(write(tmp_path, "a.npz", content)) == expected


def test_archives_that_are_cut_off_or_damaged(tmp_path: Path) -> None:
    whole = archive(tmp_path, packed=True).read_bytes()
    path = tmp_path / "b.npz"
    for size in range(0, len(whole), 97):
        path.write_bytes(whole[:size])
        assert said(path).startswith(("error KT634 ", "error KT110"))
    for at in range(0, len(whole), 13):
        path.write_bytes(whole[:at] + bytes((whole[at] ^ 0xFF,)) + whole[at + 1 :])
        assert all(each.code in _CODES for each in read_instruments(path).diagnostics)


_CODES = {"KT106", "KT110", "KT614", "KT617", "KT618", "KT623", "KT634", "KT635", "KT636"}


def test_what_an_archive_claims_is_not_trusted(tmp_path: Path) -> None:
    header = b"\x93NUMPY\x01\x00" + struct.pack("<H", 118)
    claim = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 1000), }"
    content = header + claim.ljust(117) + b"\n" + bytes(64)
    tracemalloc.start()
    path = with_member(tmp_path, "Y_true", content)
    assert said(path) == (
        "error KT634 array `Y_true` has 64 bytes, and not those of 1,000,000,000,000 values"
    )
    assert tracemalloc.get_traced_memory()[1] < 2**22
    tracemalloc.stop()


def test_a_member_that_unpacks_to_too_much(tmp_path: Path) -> None:
    path = archive(tmp_path, packed=True, Y_true=np.zeros((3_000_000, 3)))
    assert path.stat().st_size < 100_000
    assert said(path).startswith("error KT636 `Y_true.npy`, ")


def test_an_archive_of_many_members(tmp_path: Path) -> None:
    path = archive(tmp_path)
    with zipfile.ZipFile(path, "a") as members:
        for number in range(2000):
            members.writestr(f"{number}.npy", b"")
    assert said(path) == "error KT636 archive has more arrays than a data set"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x93NUMPY",
        b"no array at all",
        b"\x93NUMPY\x01\x00\x05\x00(((((",
        b"\x93NUMPY\x09\x00" + bytes(20),
    ],
)
def test_members_that_are_no_arrays(tmp_path: Path, content: bytes) -> None:
    assert said(with_member(tmp_path, "Y_true", content)).startswith("error KT634 archive is damaged: ")


def test_no_message_has_an_address_in_memory(tmp_path: Path) -> None:
    head = b"\x93NUMPY\x01\x00\x16\x00{'descr': lambda: '<f8'"
    assert said(with_member(tmp_path, "Y_true", head + b"}")) == (
        "error KT634 archive is damaged: an array cannot be read"
    )


def test_later_versions_of_the_format(tmp_path: Path) -> None:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, arrays()["Y_true"], version=(2, 0))
    found = unfold(with_member(tmp_path, "Y_true", stream.getvalue()))
    assert found is not None
    assert items(found)["000135_483840"] == "{F ...}"


def test_an_encrypted_archive(tmp_path: Path) -> None:
    content = bytearray(archive(tmp_path).read_bytes())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(signature)
        while at >= 0:
            content[at + offset] |= 1
            at = content.find(signature, at + 1)
    assert said(write(tmp_path, "e.npz", bytes(content))).startswith("error KT634 archive is damaged: ")
