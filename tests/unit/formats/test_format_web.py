# SPDX-License-Identifier: MIT
"""Annotations on the web, at a server on this machine that lets in whoever has the token."""

import json
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, urljoin, urlsplit

import pytest

import kammerton as kt
from kammerton.errors import DataError, OptionError
from kammerton.formats.remote.store import ATTEMPTS
from kammerton.formats.remote.web import linked

pytest.importorskip("aiohttp", reason="aiohttp is not installed, by which fsspec reads the web")

FILES = {
    "ref/one.lab": "0 2 C\n2 4 G:7\n",
    "ref/sub/a b.lab": "0 2 D:dim\n",
    "est/one.lab": "0 3 C\n3 4 G\n",
    "est/sub/a b.lab": "0 2 D:dim\n",
}
TOKEN = "?token=s3cret&x="


class Guarded(SimpleHTTPRequestHandler):
    """Serves files and lists folders, to whoever has the token."""

    root: ClassVar[Path]
    asked: ClassVar[list[str]] = []
    stumbles: ClassVar[dict[str, list[int]]] = {}
    """Statuses with which a path is answered before it is served, first the last one."""

    pages: ClassVar[dict[str, str]] = {}

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments, directory=str(self.root))

    def send_head(self) -> Any:
        """Refuse whoever has no token, and what stumbles."""
        parts = urlsplit(self.path)
        self.asked.append(self.path)
        if self.stumbles.get(parts.path):
            return self.send_error(self.stumbles[parts.path].pop())
        if parse_qs(parts.query).get("token") != ["s3cret"]:
            return self.send_error(403)
        return super().send_head()

    def list_directory(self, path: Any) -> Any:
        """Answer with a page of its own, if there is one."""
        page = self.pages.get(urlsplit(self.path).path)
        if page is None:
            return super().list_directory(path)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(page.encode())
        return None

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr("kammerton.formats.remote.store._PAUSE", 0)
    Guarded.root, Guarded.asked, Guarded.stumbles, Guarded.pages = tmp_path / "web", [], {}, {}
    for name, text in FILES.items():
        (Guarded.root / name).parent.mkdir(parents=True, exist_ok=True)
        (Guarded.root / name).write_text(text, encoding="utf-8")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Guarded)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def scored(host: str, ref: str = "ref/", est: str = "est/", query: str = TOKEN) -> Any:
    return kt.score("chords", f"{host}/{ref}{query}", {"est": f"{host}/{est}{query}"}, ci=None)


def test_the_query_of_a_folder_goes_with_its_files(host: str) -> None:
    """By hand: C is right for two of six seconds, G for one, and D:dim has no place in the vocabulary."""
    scores = scored(host)
    assert set(scores.references) == {"one", "sub/a b"}
    assert scores.value("mirex2013/MajMin") == 0.75
    assert {parse_qs(urlsplit(each).query)["token"][0] for each in Guarded.asked} == {"s3cret"}
    assert scores.summary["annotator"][0] == "ref"


def test_nothing_of_a_query_is_in_a_run(host: str, tmp_path: Path) -> None:
    scores = scored(host)
    kt.write_run(scores, tmp_path / "run")
    for path in (tmp_path / "run").iterdir():
        assert b"s3cret" not in path.read_bytes()
    told = (scores.to_dict(), scores.diagnostics, scores.origin.corpus, scores.summary.to_dicts())
    assert "s3cret" not in str(told)
    assert host in str(scores.origin.corpus)


def test_a_file_with_a_query(host: str) -> None:
    assert scored(host, "ref/one.lab", "est/one.lab").value("mirex2013/MajMin") == 0.75


@pytest.mark.parametrize("name", ["ref.parquet", "packed"])
def test_a_pack_with_a_query(host: str, name: str) -> None:
    """From a server that sends all of a file, whatever part of it is asked for."""
    kt.pack("chords", Guarded.root / "ref", Guarded.root / "ref.parquet")
    (Guarded.root / "ref.parquet").rename(Guarded.root / name)
    assert scored(host, name).value("mirex2013/MajMin") == 0.75


def test_folders_without_their_slash_are_told(host: str) -> None:
    with pytest.raises(OptionError) as caught:
        scored(host, "ref")
    assert str(caught.value) == (
        f"`{host}/ref` is a web page\n"
        "  help: the address of a folder ends with a slash; what stands behind `?` comes after that"
    )


@pytest.mark.parametrize("place", ["ref/", "ref/one.lab"])
def test_who_is_not_let_in_is_told_once(host: str, place: str) -> None:
    own = host.replace("//", "//me:wr0ng@")
    with pytest.raises(DataError) as caught:
        scored(own, place, place, "?token=wr0ng")
    (said,) = caught.value.diagnostics
    assert (said.code, said.message) == ("KT730", "cannot be read: ClientResponseError, status 403")
    assert said.file == f"{host}/{place}"
    assert len([each for each in Guarded.asked if place in each]) <= 2  # a file by HEAD and GET
    assert "wr0ng" not in str(caught.value)


@pytest.mark.parametrize(
    ("place", "statuses"),
    [("/ref/", [503, 429]), ("/ref/sub/", [500]), ("/ref/one.lab", [503]), ("/est/sub/a%20b.lab", [408] * 4)],
)
def test_servers_that_stumble_are_asked_again(host: str, place: str, statuses: list[int]) -> None:
    Guarded.stumbles[place] = [*statuses]
    assert len(scored(host).references) == 2
    assert len([each for each in Guarded.asked if urlsplit(each).path == place]) == len(statuses) + 1


def test_folders_below_that_cannot_be_seen_are_not_passed_over(host: str) -> None:
    Guarded.stumbles["/ref/sub/"] = [503] * ATTEMPTS
    with pytest.raises(DataError) as caught:
        scored(host)
    (said,) = caught.value.diagnostics
    assert said.concise() == (
        f"{host}/ref/sub/: KT730 cannot be read in 5 attempts: ClientResponseError, status 503"
    )


@pytest.mark.parametrize("place", ["none/", "none.lab", "none"])
def test_what_is_not_there(host: str, place: str) -> None:
    with pytest.raises(OptionError, match=f"no such file or folder: `{host}/none") as caught:
        scored(host, place)
    assert caught.value.__cause__ is None  # what it was made from has the whole address
    assert caught.value.__suppress_context__


@pytest.mark.usefixtures("host")  # where nobody waits between attempts
def test_servers_that_are_not_there() -> None:
    with pytest.raises(DataError, match="KT730 cannot be read in 5 attempts: ClientConnector"):
        kt.score("chords", "http://127.0.0.1:9/ref.lab", {"est": "http://127.0.0.1:9/est.lab"})


def test_a_file_by_itself_is_asked_for_again_too(host: str) -> None:
    """fsspec says that there is none, whatever went wrong."""
    Guarded.stumbles["/ref/one.lab"] = [503, 503]  # asked by HEAD, and by GET
    ref, est = ({"one": f"{host}/{side}/one.lab{TOKEN}"} for side in ("ref", "est"))
    assert kt.score("chords", ref, {"est": est}, ci=None).value("mirex2013/MajMin") == 0.75
    with pytest.raises(OptionError, match=f"no such file or folder: `{host}/none.lab`"):
        kt.score("chords", {"one": f"{host}/none.lab{TOKEN}"}, {"est": est})


def test_files_that_a_server_takes_for_pages_are_read(host: str) -> None:
    (Guarded.root / "one.html").write_text(FILES["ref/one.lab"], encoding="utf-8")
    assert scored(host, "one.html", "est/one.lab").value("mirex2013/MajMin") == 0.75


def test_links_are_followed_below_the_folder_only() -> None:
    top = "https://h.org/a/"
    pages = {
        top: ["b/", "x.lab?token=1&amp;v=a%20b&amp;raw#top", "x.lab", "../c/y.lab", "?C=N", ""],
        f"{top}b/": ["../", "y%20z.lab", "?C=N"],
    }
    asked = []

    def page(place: str) -> list[dict[str, str]]:
        asked.append(place)
        return [{"name": urljoin(place, link)} for link in pages[place]]

    found = [(place, name) for place, name, _ in linked(page, top, {"params": {"token": "1"}})]
    assert found == [(f"{top}x.lab?v=a%20b&raw", "x.lab"), (f"{top}b/y%20z.lab", "b/y z.lab")]
    assert asked == list(pages)


def test_names_are_read_as_pages_escape_them(host: str) -> None:
    for side in ("ref", "est"):
        (Guarded.root / side / "R&B.lab").write_text(FILES["ref/one.lab"], encoding="utf-8")
        Guarded.pages[f"/{side}/"] = '<a href="R&amp;B.lab">R&amp;B</a>'
    scores = scored(host)
    assert set(scores.references) == {"R&B"}
    assert scores.value("mirex2013/MajMin") == 1


PAGE = """
<a href="?C=N;O=D">Name</a> <a href="/">up</a> <a href="../">up</a> <a href="sub/?token=s3cret">sub/</a>
<a href="one.lab?token=s3cret#top">one</a> <a href="one.lab">one</a> <a href="/ref/">here</a>
<a href="http://elsewhere.invalid/two.lab">two</a> <a href="//">odd</a>
"""


def test_links_with_queries_are_the_files_that_they_name(host: str) -> None:
    """As pages have them that pass a token on, or that can be sorted."""
    Guarded.pages["/ref/"] = PAGE
    scores = scored(host)
    assert set(scores.references) == {"one", "sub/a b"}
    assert "s3cret" not in json.dumps([each.to_dict() for each in scores.diagnostics])
    assert not any(each.code == "KT205" for each in scores.diagnostics)


def test_a_page_that_links_to_itself_is_not_listed_without_end(host: str) -> None:
    """As a server does that shows the same page at whatever lies below it."""
    Guarded.pages["/ref/"] = '<a href="one.lab">one</a> <a href="sub/">sub</a>'
    for depth in range(1, 40):
        place = "sub/" * depth
        (Guarded.root / "ref" / place).mkdir(parents=True, exist_ok=True)
        Guarded.pages[f"/ref/{place}"] = '<a href="one.lab">one</a> <a href="sub/">sub</a>'
    with pytest.raises(DataError) as caught:
        scored(host)
    (said,) = caught.value.diagnostics
    assert (said.code, said.file) == ("KT730", f"{host}/ref/{'sub/' * 33}")
    assert said.message == "cannot be listed: more than 32 folders deep; a page may link to itself"
    assert len(Guarded.asked) == 33  # the folder itself, and 32 below it


def test_a_folder_may_be_32_folders_deep() -> None:
    top = "https://h.org/a/"

    def page(place: str) -> list[dict[str, str]]:
        return [{"name": f"{place}sub/" if place.count("/sub") < 32 else f"{place}x.lab"}]

    ((found, *_),) = linked(page, top, {})
    assert found == f"{top}{'sub/' * 32}x.lab"


def test_folders_that_are_too_many_are_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kammerton.formats.remote.web._MOST_PAGES", 7)
    top, asked = "https://me:s3cret@h.org/a/", []

    def page(place: str, links: str = "ab") -> list[dict[str, str]]:
        asked.append(place)
        return [{"name": f"{place}{name}/"} for name in links] if place.count("/") < 6 else []

    assert list(linked(page, top, {})) == []  # two, and two in each of them: 7 with the folder itself
    assert len(asked) == 7
    with pytest.raises(
        DataError, match=r"more than 7 folders below https://h\.org/a/; a page may link"
    ) as caught:
        list(linked(lambda place: page(place, "abc"), top, {}))
    assert "s3cret" not in str(caught.value)
