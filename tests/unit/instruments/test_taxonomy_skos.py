# SPDX-License-Identifier: MIT
"""Taxonomies from thesauri: concepts of SKOS in Turtle, by examples of both recommendations."""

from pathlib import Path

import pytest

from kammerton.errors import DataError
from unit.instruments.test_taxonomy_files import SKOS, edges, load, refused

WORDS = r"""
PREFIX dc: <http://purl.org/dc/terms/>
@base <http://example.org/> .
<> dc:title "Instruments" ; dc:extent 7, 4.5e1 ; dc:final true .   # of the thesaurus
:r1 a skos:Concept ; skos:prefLabel "Geige"@de , "violin"@en-GB, 'violon'@fr ; skos:altLabel "fiddle" ; ; .
:r2 skos:prefLabel '''\u0110\u00e0n
"tranh\"''' ; skos:broader :r\,3, <http://example.org/i#plucked_strings> .
:r\,3 skos:prefLabel "zithers"^^dc:string ; skos:narrower :r2, <http://example.org/l%C3%A2m/%C3%A2me> .
:r1 skos:broader "not a concept" .
:r2 skos:prefLabel :r1 .
:v1.5 skos:prefLabel "\U0001D11E\'" .
:plain skos:prefLabel "Schlicht"@de, "plain", "second", "too late"@en .
"""


def test_concepts_are_called_by_their_labels(tmp_path: Path) -> None:
    """In no language, or in English, or as they come; without a label, by the end of their name."""
    with pytest.raises(DataError, match="KT646 name with a control character"):  # the line break
        load(tmp_path, "a.ttl", SKOS + WORDS)
    tree = load(tmp_path, "a.ttl", SKOS + WORDS.replace('n\n"tranh', 'n "tranh'))
    assert edges(tree) == {
        "violin": (),
        'Đàn "tranh"': ("zithers", "plucked strings"),
        "zithers": (),
        "plucked strings": (),
        "âme": ("zithers",),
        "\U0001d11e'": (),
        "plain": (),
    }


NOT_READ = "KT652 not Turtle as it is read:"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (":a skos:broader [ ] .", f"error 3:17+1 {NOT_READ} `[`"),
        (":a skos:broader x:b .", f"error 3:17+3 {NOT_READ} `x:b`"),
        (":a skos:broader :b", f"error 3:19+1 {NOT_READ} the end"),
        (":a skos:broader", f"error 3:16+1 {NOT_READ} the end"),
        (":a skos:broader :b :c .", f"error 3:20+2 {NOT_READ} `:c`"),
        (":a skos:broader . ", f"error 3:17+1 {NOT_READ} `.`"),
        ("@prefix x <http://x> .", f"error 3:9+1 {NOT_READ} `x`"),
        (r':a skos:prefLabel "\U00110000" .', f'error 3:19+12 {NOT_READ} `"\\U00110000"`'),
        (
            ':a skos:prefLabel "x" . :b skos:prefLabel "x" .',
            "error 3:43+3 KT642 two concepts of one name: `x`",
        ),
        (':a skos:prefLabel "" ; skos:broader :b .', "error 3:19+2 KT646 node without a name"),
    ],
)
def test_what_is_no_thesaurus(tmp_path: Path, text: str, said: str) -> None:
    assert refused(tmp_path, "a.ttl", SKOS + text) == [said]


def test_a_concept_below_itself(tmp_path: Path) -> None:
    (said,) = refused(tmp_path, "a.ttl", SKOS + ":a skos:broader :a .")
    assert said.startswith("error 3:17+2 KT643 `a` stands below a family of its own name")


def test_what_both_sides_say_is_one_link(tmp_path: Path) -> None:
    tree = load(tmp_path, "a.ttl", SKOS + ":a skos:broader :b . :b skos:narrower :a .")
    assert edges(tree) == {"a": ("b",), "b": ()}
    assert tree.diagnostics == ()
