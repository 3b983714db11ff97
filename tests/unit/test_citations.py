# SPDX-License-Identifier: MIT
"""Every protocol has a BibTeX entry; the program's own says what CITATION.cff says."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from kammerton.model.measure import Protocol
from kammerton.model.registry import TASKS, find_task
from kammerton.reporting.cards import OWN, Described, render_cards, render_citations, render_markdown_cards

PROTOCOLS = {protocol.name: protocol for task in TASKS for protocol in find_task(task).protocols}
CFF = Path(__file__).parents[2] / "CITATION.cff"
NEEDED = {
    "article": {"author", "title", "journal", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "misc": {"author", "title"},
}
"""Fields that BibTeX warns of where they are missing, and author and title always."""
ENTRIES = [OWN, *(entry for each in PROTOCOLS.values() for entry in each.citation.split("\n\n"))]


def parse(entry: str) -> tuple[str, str, dict[str, str]]:
    """Return kind, key and fields of an entry; fails where BibTeX would."""
    head = re.match(r"@(\w+)\{([A-Za-z][\w:.+/-]*),\n", entry)
    assert head, entry
    place, fields = head.end(), {}
    while entry[place] != "}":
        name = re.compile(r"  (\w+) = \{").match(entry, place)
        assert name, entry[place:]
        depth, start, place = 1, name.end(), name.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(entry[place], 0)
            place += 1
        assert name[1] not in fields
        fields[name[1]] = entry[start : place - 1]
        assert entry[place : place + 2] == ",\n"
        place += 2
    assert entry[place:] == "}"
    return head[1], head[2], fields


@pytest.mark.parametrize("entry", ENTRIES)
def test_entries_are_bibtex(entry: str) -> None:
    kind, _, fields = parse(entry)
    assert NEEDED[kind] <= set(fields)
    assert entry.isascii()
    assert max(map(len, entry.splitlines())) <= 78
    for name, text in fields.items():
        assert re.fullmatch(r"\d{4}", text) or name != "year"
        assert re.fullmatch(r"10\.\d{4,}/\S+", text) or name != "doi"
        if name not in ("doi", "howpublished"):
            assert not re.search(r"(?<!\\)[_%&#$]", text), "LaTeX would not print it"
        if name == "author" and not text.startswith("{"):
            people = " ".join(text.split()).split(" and ")
            assert all(re.fullmatch(r"[\w ]+, [\w. ]+", person) for person in people)


def test_a_key_is_of_one_entry() -> None:
    entries = set(ENTRIES)
    keys = [parse(entry)[1] for entry in entries]
    assert len(set(keys)) == len(keys)


def test_the_own_entry_is_that_of_the_citation_file() -> None:
    told = yaml.safe_load(CFF.read_text(encoding="utf-8"))
    _, key, fields = parse(OWN)
    assert key == "kammerton"
    assert fields["title"] == told["title"]
    assert fields["author"] == f"{{{told['authors'][0]['name']}}}"
    assert fields["note"] == f"Version {told['version']}"
    preferred = told["preferred-citation"]
    assert fields["year"] == str(preferred["year"])
    assert f"Copyright (c) {fields['year']} " in CFF.with_name("LICENSE").read_text(encoding="utf-8")
    for each in ("title", "authors", "version", "license"):
        assert preferred[each] == told[each]


def test_the_paper_of_the_mirex_measures_is_cited_beside_the_page() -> None:
    paper, page = map(parse, PROTOCOLS["mirex2013"].citation.split("\n\n"))
    assert paper[0] == "inproceedings"
    assert paper[2]["doi"] == "10.1109/ICASSP.2013.6637748"
    assert page[2]["year"] == "2013"
    told = yaml.safe_load(CFF.read_text(encoding="utf-8"))["references"]
    (same,) = (each for each in told if each.get("doi") == paper[2]["doi"])
    people = [f"{each['family-names']}, {each['given-names']}" for each in same["authors"]]
    assert paper[2]["author"] == " and ".join(people)
    assert (paper[2]["title"], paper[2]["year"]) == (same["title"], str(same["year"]))


def test_only_the_works_of_protocols_that_were_used_are_cited() -> None:
    task = find_task("chords")
    measures = [m for m in task.measures if m.protocol in ("mirex2013", "frames10ms", "decibel")]
    found = render_citations(task, measures)
    assert found.endswith("}\n")
    assert [parse(entry)[1] for entry in found[:-1].split("\n\n")] == [
        "kammerton",
        "pauwels2013evaluating",  # of two protocols
        "mirex2013ace",
        "odekerken2020decibel",
    ]


def test_a_protocol_without_a_citation_has_none() -> None:
    task = find_task("chords")
    bare = replace(task, protocols=tuple(replace(each, citation="") for each in task.protocols))
    assert render_citations(bare, task.measures) == f"{OWN}\n"
    (described,) = [Described("chords", bare.protocols[0], ())]
    assert "bibtex" not in render_markdown_cards([described])


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=list(PROTOCOLS))
def test_measures_show_entries_as_they_are(protocol: Protocol) -> None:
    described = [Described("task", protocol, protocol.measures[:1])]
    assert f"```bibtex\n{protocol.citation}\n```" in render_markdown_cards(described)
    shown = render_cards(described, width=80)
    assert "\n".join(f"  {line}".rstrip() for line in protocol.citation.splitlines()) in shown
    narrow = render_cards(described, width=40)
    assert " ".join(protocol.citation.split()) in " ".join(narrow.split())
