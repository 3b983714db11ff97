# SPDX-License-Identifier: MIT
"""Annotations elsewhere: read as those that lie here, whatever stumbles on the way."""

import gc
import pickle
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

import fsspec
import polars as pl
import pytest
from fsspec.implementations.memory import MemoryFileSystem

import kammerton as kt
from kammerton.chords import TASK, ChordOptions
from kammerton.errors import DataError, OptionError, quote
from kammerton.formats import Limits
from kammerton.formats.collecting import collect
from kammerton.formats.packs import is_pack, open_pack
from kammerton.formats.remote import (
    ATTEMPTS,
    RemoteSource,
    RemoteStore,
    is_remote,
    name_at,
    shown_address,
    source_at,
    with_shown_addresses,
)
from kammerton.model.corpus import Collection

SOURCES = Path(__file__).parents[3] / "src/kammerton/formats/remote.py"
FILES = {
    "ref/one.lab": "0 2 C\n2 4 G:7\n",
    "ref/sub/two.lab": "0 2 D:dim\n",
    "ref/torn.lab": "0 1 nonsense\n",
    "ref/notes.txt~": "dear",
    "ref/README.md": "dear",
    "est/one.lab": "0 3 C\n3 4 G\n",
    "est/sub/two.lab": "0 2 D:dim\n",
    "est/torn.lab": "0 1 C\n",
}


class Flaky(MemoryFileSystem):  # type: ignore[misc]
    """Fails every third time that it is asked for bytes."""

    protocol = "flaky"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    asked = 0
    every = 3

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return str(super()._strip_protocol(path.replace("flaky://", "memory://")))

    def cat_file(self, path: str, *arguments: Any, **options: Any) -> Any:
        Flaky.asked += 1
        if Flaky.asked % Flaky.every == 0:
            raise TimeoutError("https://host/x?signature=secret")
        return super().cat_file(path, *arguments, **options)


class Odd(MemoryFileSystem):  # type: ignore[misc]
    """Tells no sizes, and fails as a whole when asked for several files."""

    protocol = "odd"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    fails: BaseException | None = None

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return str(super()._strip_protocol(path.replace("odd://", "memory://")))

    def info(self, path: str, **options: Any) -> Any:
        found = super().info(path, **options)
        return {**found, "size": None}

    def cat(self, *arguments: Any, **options: Any) -> Any:
        if Odd.fails is not None:
            raise Odd.fails
        return super().cat(*arguments, **options)


@pytest.fixture(autouse=True)
def places(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The files at addresses of each kind, and no pauses."""
    monkeypatch.setattr("kammerton.formats.remote._PAUSE", 0)
    for kind in (Flaky, Odd):
        fsspec.register_implementation(kind.protocol, kind, clobber=True)
    Flaky.asked, Flaky.every, Odd.fails = 0, 3, None
    systems = [fsspec.filesystem(name) for name in ("memory", "flaky", "odd")]
    for system in systems:
        for name, text in FILES.items():
            system.pipe(f"/corpus/{name}", text.encode())
    yield
    for system in systems:
        system.rm("/corpus", recursive=True)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def collected(address: str, options: ChordOptions | None = None) -> Collection:
    return collect(address, name=None, default_name="x", task=TASK, options=options or ChordOptions())


def source_of(collection: Collection, item: str) -> RemoteSource:
    ((_, source),) = collection.sources[item]
    assert isinstance(source, RemoteSource)
    return source


@pytest.mark.parametrize("kind", ["memory", "flaky", "odd"])
def test_scores_and_messages_are_those_of_the_folder(kind: str, here: Path) -> None:
    """Every third read fails, and nothing is lost."""
    local = kt.score("chords", here / "ref", {"est": here / "est"}, ci=None)
    remote = kt.score("chords", f"{kind}://corpus/ref", {"est": f"{kind}://corpus/est"}, ci=None)
    assert remote.to_dict()["scores"] == local.to_dict()["scores"]
    said = [
        [
            (each.code, each.message, (each.file or "").replace(place, ""), each.line)
            for each in scores.diagnostics
        ]
        for scores, place in ((remote, f"{kind}://corpus/"), (local, f"{here}/"))
    ]
    assert sorted(said[0]) == sorted(said[1])
    assert {"KT310", "KT205"} <= {code for code, *_ in said[0]}
    if kind == "flaky":
        assert Flaky.asked == 8  # six files, of which two failed once


def test_a_pack_elsewhere(here: Path, tmp_path: Path) -> None:
    kt.pack("chords", here / "ref", tmp_path / "ref.parquet")
    fsspec.filesystem("flaky").pipe("/corpus/ref.parquet", (tmp_path / "ref.parquet").read_bytes())
    fsspec.filesystem("odd").pipe("/corpus/ref.parquet", (tmp_path / "ref.parquet").read_bytes())
    expected = kt.score("chords", here / "ref", {"est": here / "est"}, ci=None).to_dict()["scores"]
    for kind in ("flaky", "odd"):
        address = f"{kind}://corpus/ref.parquet"
        assert is_pack(address)
        found = kt.score("chords", address, {"est": here / "est"}, ci=None)
        assert found.to_dict()["scores"] == expected
        collection = collected(address)
        assert (collection.name, collection.origin) == ("ref", address)
        ((_, packed),) = collection.sources["one"]
        again, still = (pickle.loads(pickle.dumps(packed)) for _ in range(2))
        assert [each.labels for _, each in again.read().annotations] == [("C", "G:7")]
        assert still._pack is again._pack  # copied once, whoever asks
    assert kt.check("chords", "flaky://corpus/ref.parquet").files
    assert not is_pack("memory://corpus/ref")


def test_what_is_in_memory_is_not_sent_to_other_processes(here: Path, tmp_path: Path) -> None:
    kt.pack("chords", here / "est", tmp_path / "est.parquet")
    fsspec.filesystem("memory").pipe("/corpus/est.parquet", (tmp_path / "est.parquet").read_bytes())
    expected = kt.score("chords", here / "ref", {"est": here / "est"}, ci=None).to_dict()["scores"]
    for address in ("memory://corpus/est", "memory://corpus/est.parquet"):
        with pytest.raises(OptionError) as caught:
            kt.score("chords", here / "ref", {"est": address}, ci=None, jobs=2)
        assert caught.value.message == f"`{address}` is in the memory of this process: no other can read it"
        assert caught.value.hint == "score it without --jobs and --executor, or pack it to a file"
        with ThreadPoolExecutor(2) as threads:
            found = kt.score("chords", here / "ref", {"est": address}, ci=None, executor=threads)
        assert found.to_dict()["scores"] == expected


def test_servers_that_send_all_of_a_file_are_understood(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those do that know nothing of ranges."""
    kt.pack("chords", here / "ref", tmp_path / "ref.parquet")
    data = (tmp_path / "ref.parquet").read_bytes()
    system = fsspec.filesystem("odd")
    system.pipe("/corpus/ref.parquet", data)
    monkeypatch.setattr(Odd, "cat_file", lambda self, path, **_: self.store[path].getvalue())
    monkeypatch.setattr(Odd, "info", MemoryFileSystem.info)
    assert is_pack("odd://corpus/ref.parquet")
    RemoteStore("odd://corpus/ref.parquet").copy_to(tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == data


@pytest.mark.parametrize(("files", "size"), [(1, 2**20), (2, 2**20), (64, 1), (64, 2**20)])
def test_neighbours_are_fetched_together(files: int, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kammerton.formats.remote._FILES", files)
    monkeypatch.setattr("kammerton.formats.remote._BYTES", size)
    Flaky.every = 10**9
    collection = collected("flaky://corpus/est")
    sources = [source_of(collection, item) for item in collection.sources]
    assert len(sources) == 3
    for source in (*sources, sources[0]):  # what was let go of is fetched once more
        assert source.read().annotations
    together = 1 if 1 in (files, size) else files
    assert Flaky.asked == 3 + min(together, 3)
    assert pickle.loads(pickle.dumps(sources[1])).read().annotations


def test_what_fails_for_good_fails_alone() -> None:
    Flaky.every = 1
    with pytest.raises(DataError) as caught:
        kt.score("chords", "memory://corpus/ref", {"est": "flaky://corpus/est"}, ci=None)
    told = {each.file: each.message for each in caught.value.diagnostics if each.code == "KT730"}
    assert told["flaky://corpus/est/one.lab"] == f"cannot be read in {ATTEMPTS} attempts: TimeoutError"
    assert "secret" not in str(caught.value)
    assert Flaky.asked == ATTEMPTS * 3


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (PermissionError(13, "secret"), "cannot be read: PermissionError"),
        (RuntimeError("secret"), f"cannot be read in {ATTEMPTS} attempts: RuntimeError"),
    ],
)
def test_stores_that_fail_as_a_whole(error: Exception, message: str) -> None:
    Odd.fails = error
    collection = collected("odd://corpus/est")
    source = source_of(collection, "one")
    (said,) = source.read().diagnostics
    assert (said.code, said.message, said.file) == ("KT730", message, "odd://corpus/est/one.lab")


def test_files_that_went_away_meanwhile() -> None:
    collection = collected("memory://corpus/est")
    fsspec.filesystem("memory").rm("/corpus/est/one.lab")
    source = source_of(collection, "one")
    (said,) = source.read().diagnostics
    assert said.message == "cannot be read: FileNotFoundError"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ConnectionError("secret"), f"cannot be read in {ATTEMPTS} attempts: ConnectionError"),
        (PermissionError("secret"), "cannot be read: PermissionError"),
    ],
)
def test_listings_that_fail(error: Exception, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(Odd, "find", fail)
        with pytest.raises(DataError) as caught:
            RemoteStore("odd://corpus/est").listing()
    (problem,) = caught.value.diagnostics
    assert (problem.code, problem.message, problem.file) == ("KT730", said, "odd://corpus/est")


def test_a_file_elsewhere() -> None:
    scores = kt.score(
        "chords", "memory://corpus/ref/one.lab", {"est": "memory://corpus/est/one.lab"}, ci=None
    )
    assert scores.value("mirex2013/MajMin") == 0.75
    scores = kt.score(
        "chords", {"x": "memory://corpus/ref/one.lab"}, {"est": {"x": "memory://corpus/est/one.lab"}}, ci=None
    )
    assert scores.value("mirex2013/MajMin") == 0.75


def test_large_files_are_not_fetched() -> None:
    """Of 12 bytes, nor with the two that lie beside it."""
    options = ChordOptions(limits=Limits(bytes=11))
    Flaky.every = 10**9
    for kind in ("flaky", "odd"):
        collection = collected(f"{kind}://corpus/est", options)
        assert [each.code for each in source_of(collection, "one").read().diagnostics] == ["KT106"]
    assert Flaky.asked == 0
    assert source_of(collected("flaky://corpus/est", options), "torn").read().annotations
    assert Flaky.asked == 2


TABLE = "item,instrument\na,flute\nb,harp\n"


@pytest.mark.parametrize("kind", ["memory", "flaky"])
def test_files_of_many_items(kind: str) -> None:
    fsspec.filesystem(kind).pipe("/corpus/lists.csv", TABLE.encode())
    address = f"{kind}://corpus/lists.csv"
    scores = kt.score("instruments", address, {"same": address}, ci=None)
    assert set(scores.references) == {"a", "b"}


def test_files_of_many_items_that_cannot_be_fetched() -> None:
    for kind in ("odd", "memory"):
        fsspec.filesystem(kind).pipe("/corpus/lists.csv", TABLE.encode())
    Odd.fails = TimeoutError()
    with pytest.raises(DataError, match="KT730"):
        kt.score("instruments", "odd://corpus/lists.csv", {"same": {"a": ["flute"]}}, ci=None)
    options = kt.instruments.InstrumentOptions(limits=Limits(bytes=11))
    with pytest.raises(DataError, match="KT106"):
        kt.score("instruments", "memory://corpus/lists.csv", {"same": {"a": ["flute"]}}, options=options)


def test_copies_go_once_nobody_needs_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "here"))
    (tmp_path / "here").mkdir()
    kt.pack("chords", "memory://corpus/est", tmp_path / "est.parquet")
    fsspec.filesystem("memory").pipe("/corpus/est.parquet", (tmp_path / "est.parquet").read_bytes())
    pack = open_pack("memory://corpus/est.parquet", TASK)
    assert len(list((tmp_path / "here").iterdir())) == 1
    del pack
    gc.collect()
    assert list((tmp_path / "here").iterdir()) == []
    fsspec.filesystem("memory").pipe("/corpus/est.parquet", b"PAR1")
    with pytest.raises(DataError, match=r"memory://corpus/est\.parquet: KT720"):
        open_pack("memory://corpus/est.parquet", TASK)
    assert list((tmp_path / "here").iterdir()) == []


def test_two_files_of_one_item() -> None:
    system = fsspec.filesystem("memory")
    system.pipe("/corpus/est/one.csv", b"start,end,label\n0,1,C\n")
    system.pipe("/corpus/est/e\u0301.lab", b"0 1 C\n")
    collection = collected("memory://corpus/est")
    assert collection.broken == {"one": "several files for one item"}
    assert collection.written == {"é": "e\u0301"}
    assert [each.file for each in collection.diagnostics if each.code == "KT201"] == [
        "memory://corpus/est/one.csv"
    ]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("memory://corpus/nothing", "no such file or folder: `memory://corpus/nothing`"),
        ("nosuchthing://key:secret@corpus/x", "nothing is installed that reads nosuchthing://"),
    ],
)
def test_addresses_of_nothing(address: str, said: str) -> None:
    with pytest.raises(OptionError, match=re.escape(said)):
        kt.score("chords", address, {"est": "memory://corpus/est"})


def test_schemes_are_read_in_any_case() -> None:
    fsspec.filesystem("memory").pipe("/corpus/Ref/One.lab", b"0 1 C")
    found = kt.check("chords", "MEMORY://corpus/Ref")
    assert found.files == ("memory://corpus/Ref/One.lab",)


@pytest.mark.parametrize("content", [b"", b"0 1 C"])
def test_what_is_called_a_pack_is_no_annotation_file_elsewhere_either(content: bytes, tmp_path: Path) -> None:
    fsspec.filesystem("memory").pipe("/corpus/refs.Parquet", content)
    (tmp_path / "refs.Parquet").write_bytes(content)
    for path in ("memory://corpus/refs.Parquet", tmp_path / "refs.Parquet"):
        with pytest.raises(kt.DataError, match=r"KT72[01] pack cannot be read"):
            kt.check("chords", path)


def test_stores_that_say_why_something_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise FileNotFoundError("secret") from RuntimeError("secret")

    with monkeypatch.context() as patch:
        patch.setattr(Odd, "info", fail)
        with pytest.raises(OptionError, match=r"no such file or folder: `odd://corpus/est`") as caught:
            RemoteStore("odd://corpus/est").whole()
    assert caught.value.__cause__ is None


def test_folders_without_annotations() -> None:
    fsspec.filesystem("memory").pipe("/corpus/docs/README.md", b"dear")
    with pytest.raises(OptionError, match="no annotation files in `memory://corpus/docs`"):
        kt.score("chords", "memory://corpus/docs", {"est": "memory://corpus/est"})


def test_without_fsspec(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(OptionError, match=r"reading `s3://corpus/ref` needs fsspec"):
        kt.score("chords", "s3://key:secret@corpus/ref", {"est": "memory://corpus/est"})


def problems(found: Any, place: str) -> list[tuple[Any, ...]]:
    """Return what was said, without the place of the files."""
    return sorted(
        (each.code, each.message, (each.file or "").replace(place, ""), each.line or 0)
        for each in found.diagnostics
    )


@pytest.mark.parametrize("kind", ["memory", "flaky", "odd"])
def test_files_are_checked_elsewhere_as_here(kind: str, here: Path) -> None:
    local, remote = kt.check("chords", here / "ref"), kt.check("chords", f"{kind}://corpus/ref/")
    assert [file.replace(f"{kind}://corpus", str(here)) for file in remote.files] == list(local.files)
    assert [file.replace(f"{kind}://corpus", str(here)) for file in remote.ignored] == list(local.ignored)
    assert len(remote.ignored) == 2
    assert problems(remote, f"{kind}://corpus/") == problems(local, f"{here}/")
    assert {"KT310", "KT205"} <= {each.code for each in remote.diagnostics}
    both = kt.check("chords", here / "ref/one.lab", f"{kind}://corpus/est/one.lab")
    assert both.files == (str(here / "ref/one.lab"), f"{kind}://corpus/est/one.lab")


@pytest.mark.parametrize("kind", ["memory", "flaky", "odd"])
@pytest.mark.parametrize("source", ["ref", "ref/one.lab"])
def test_files_are_converted_elsewhere_as_here(kind: str, source: str, here: Path) -> None:
    found: list[Any] = []
    for place in (f"{here}/", f"{kind}://corpus/"):
        target = here / str(len(found)) / ("x.csv" if "." in source else "x")
        target.parent.mkdir()
        done = kt.convert("chords", place + source, target, to="csv")
        files = [target] if target.is_file() else sorted(target.rglob("*.csv"))
        written = [(path.name, path.read_text(encoding="utf-8")) for path in files]
        failed = [name.replace(place, "") for name in done.failed]
        found.append((written, failed, problems(done, place)))
    assert found[0] == found[1]
    assert len(found[0][0]) == (1 if "." in source else 3)  # labels are not judged


def test_a_file_elsewhere_replaces_one_here(tmp_path: Path) -> None:
    target = tmp_path / "one.csv"
    target.write_text("old", encoding="utf-8")
    kt.convert("chords", "memory://corpus/est/one.lab", target, force=True)
    assert target.read_text(encoding="utf-8") == "start,end,label\n0.0,3.0,C\n3.0,4.0,G\n"


def test_a_file_elsewhere_is_called_as_it_would_be_here() -> None:
    fsspec.filesystem("memory").pipe("/corpus/one.svl.txt", b"0\tC")
    assert list(collected("memory://corpus/one.svl.txt").sources) == ["one"]


def test_what_a_store_lists_beside_a_folder_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = MemoryFileSystem.find

    def find(self: MemoryFileSystem, place: str, detail: bool) -> Any:
        return plain(self, place.removesuffix("/est"), detail=detail)

    with monkeypatch.context() as patch:
        patch.setattr(Odd, "find", find)
        assert set(collected("odd://corpus/est").sources) == {"one", "sub/two", "torn"}


def test_files_of_many_items_are_checked_elsewhere() -> None:
    """Those of a folder are fetched together, and once."""
    for name in ("a", "b"):
        fsspec.filesystem("flaky").pipe(
            f"/corpus/lists/{name}.csv", TABLE.replace("\n", f"{name}\n", 1).encode()
        )
    Flaky.every = 10**9
    found = kt.check("instruments", "flaky://corpus/lists")
    assert found.files == ("flaky://corpus/lists/a.csv", "flaky://corpus/lists/b.csv")
    assert Flaky.asked == 2


@pytest.mark.parametrize(
    ("fails", "limit", "code"), [(TimeoutError(), 2**20, "KT730"), (None, 11, "KT106")], ids=["lost", "large"]
)
def test_what_cannot_be_fetched_is_told_by_its_file(
    fails: BaseException | None, limit: int, code: str, tmp_path: Path
) -> None:
    Odd.fails, options = fails, ChordOptions(limits=Limits(bytes=limit))
    checked = kt.check("chords", "odd://corpus/est/one.lab", options=options)
    assert [(each.code, each.file) for each in checked.diagnostics] == [(code, "odd://corpus/est/one.lab")]
    done = kt.convert("chords", "odd://corpus/est/one.lab", tmp_path / "x.csv", options=options)
    assert [each.code for each in done.diagnostics] == [code]
    assert (done.written, done.failed) == ((), ("odd://corpus/est/one.lab",))


def test_names_elsewhere_that_lead_out_of_the_folder(tmp_path: Path) -> None:
    """A store may call its files anything."""
    store = fsspec.filesystem("memory").store
    for name in (f"/corpus/est/{tmp_path}/x.lab", "/corpus/est/../y.lab"):
        store[name] = store["/corpus/est/one.lab"]
    try:
        if f"/corpus/est/{tmp_path}/x.lab" not in fsspec.filesystem("memory").find("/corpus/est"):
            pytest.skip("this fsspec lists no name that begins at the root")
        done = kt.convert("chords", "memory://corpus/est", tmp_path / "out", to="csv")
    finally:
        del store[f"/corpus/est/{tmp_path}/x.lab"], store["/corpus/est/../y.lab"]
    assert [(each.code, each.message) for each in done.diagnostics if each.code != "KT310"] == [
        ("KT205", "ignored: hidden"),
        ("KT727", f"name of an item leads out of the folder: {quote(f'{tmp_path}/x')}"),
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("`https://h.org/a/?token=s3cret…`", "`https://h.org/a/`"),
        ("`s3://key:s3cretsecretse…` and s3://key:s3cret@c/x", "`s3://…` and s3://c/x"),
        ("`https://h.org/a/long…`", "`https://h.org/a/long…`"),
    ],
)
def test_addresses_that_messages_cut_off(text: str, shown: str) -> None:
    assert with_shown_addresses(text) == shown


def test_lists_that_lie_elsewhere_are_told_without_secrets() -> None:
    splits = "https://h.org/splits.csv?token=s3cret"
    with pytest.raises(DataError, match=r"^https://h\.org/splits\.csv: KT101 ") as caught:
        kt.score("chords", "memory://corpus/ref", {"est": "memory://corpus/est"}, split="x", splits=splits)
    assert "s3cret" not in str(caught.value)


def test_nothing_is_written_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = "cannot write to `memory://corpus/out/`"
    with pytest.raises(OptionError, match=said):
        kt.convert("chords", "memory://corpus/est", "memory://corpus/out/?token=s3cret", to="csv")
    with pytest.raises(OptionError, match=said):
        kt.pack("chords", "memory://corpus/est", "memory://corpus/out/?token=s3cret")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_converted_or_checked_where_nothing_is(tmp_path: Path) -> None:
    fsspec.filesystem("memory").pipe("/corpus/docs/README.md", b"dear")
    with pytest.raises(OptionError, match="no annotation files in `memory://corpus/docs`"):
        kt.convert("chords", "memory://corpus/docs/", tmp_path / "out", to="csv")
    with pytest.raises(OptionError, match="no annotation files to check"):
        kt.check("chords", "memory://corpus/docs")


@pytest.mark.parametrize(
    ("address", "shown", "name"),
    [
        ("s3://key:secret@corpus/refs/", "s3://corpus/refs/", "refs"),
        ("https://h.org/a.parquet?sig=secret#x", "https://h.org/a.parquet", "a"),
        ("gs://bucket", "gs://bucket", "bucket"),
        ("s3://corpus/v1.0", "s3://corpus/v1.0", "v1.0"),
        ("https://user@name:secret@h.org/x@y.lab", "https://h.org/x@y.lab", "x@y"),
        ("s3://key:sec/secret@corpus/x@y.lab", "s3://corpus/x@y.lab", "x@y"),
        ("s3://key:4s?e#c/secret@corpus/refs", "s3://corpus/refs", "refs"),
        ("https://h.org:8080/a:b@c/x@y.lab", "https://h.org:8080/a:b@c/x@y.lab", "x@y"),
        ("https://[::1]:80/x@y.lab", "https://[::1]:80/x@y.lab", "x@y"),
    ],
)
def test_what_is_shown_of_addresses(address: str, shown: str, name: str) -> None:
    assert is_remote(address)
    assert shown_address(address) == shown
    assert name_at(address) == name
    assert with_shown_addresses(f"['mine={address}']") == f"['mine={shown}']"
    assert "secret" not in repr(RemoteStore(address))


@pytest.mark.parametrize("path", ["songs", "C:/songs", "C:\\songs", "a:b", Path("s3://x"), None, "://x"])
def test_what_is_no_address(path: object) -> None:
    assert not is_remote(path)


@pytest.mark.parametrize("name", ["ETag", "etag", "md5Hash"])
def test_what_stores_say_of_contents_tells_them_apart(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is fetched to find out whether a part that was kept is of the same files."""
    assert source_of(collected("flaky://corpus/est"), "one").digest is None
    plain = MemoryFileSystem.info

    def info(self: MemoryFileSystem, path: str, **options: Any) -> Any:
        found = plain(self, path, **options)
        return {**found, name: f'"{self.store[found["name"]].getvalue().hex()}"'} if found["size"] else found

    def find(self: MemoryFileSystem, place: str, detail: bool) -> Any:
        return {path: self.info(path) for path in MemoryFileSystem.find(self, place)} if detail else None

    with monkeypatch.context() as patch:
        patch.setattr(Flaky, "info", info)
        patch.setattr(Flaky, "find", find)
        digests = [source_of(collected("flaky://corpus/est"), "one").digest]
        for text in (FILES["est/one.lab"], "0 3 C\n3 4 D\n"):
            fsspec.filesystem("flaky").pipe("/corpus/est/one.lab", text.encode())
            digests.append(source_of(collected("flaky://corpus/est"), "one").digest)
        single = source_at("flaky://corpus/est/one.lab", TASK, ChordOptions())
    assert None not in digests
    assert digests[0] == digests[1] != digests[2] == single.digest


class Guarded(MemoryFileSystem):  # type: ignore[misc]
    """Takes keys and a token in its addresses, as stores do."""

    protocol = "guarded"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        place = path.replace("guarded://key:s3cret@", "memory://").partition("?")[0]
        return str(super()._strip_protocol(place))


def test_nothing_of_an_address_is_in_a_run(tmp_path: Path) -> None:
    """Credentials are in no signature, no message, no report, and no file of a run."""
    fsspec.register_implementation("guarded", Guarded, clobber=True)
    system = fsspec.filesystem("guarded")
    for name, text in FILES.items():
        system.pipe(f"/corpus/{name}", text.encode())
    ref, est = (f"guarded://key:s3cret@corpus/{side}?token=s3cret" for side in ("ref", "est"))
    scores = kt.score("chords", ref, {"est": est}, ci=None)
    kt.write_run(scores, tmp_path / "run")
    kt.pack("chords", ref, tmp_path / "ref.parquet")
    written = [*(tmp_path / "run").iterdir(), tmp_path / "ref.parquet"]
    for path in written:
        assert b"s3cret" not in path.read_bytes()
        if path.suffix == ".parquet":
            assert "s3cret" not in str(pl.read_parquet(path).to_dicts())
    told = [scores.to_dict(), scores.summary.to_dicts(), scores.diagnostics, scores.origin.corpus]
    assert "s3cret" not in str(told)
    assert "guarded://corpus/ref/torn.lab" in str(scores.diagnostics)
    drawn = kt.show("chords", str(tmp_path / "run"), item="one")
    assert [track.name for track in drawn.tracks] == ["ref", "est"]
