# SPDX-License-Identifier: MIT
"""Taxonomies from files: each form, and everything that is wrong with them at its place."""

import json
import os
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explained import codes, example
from kammerton.errors import DataError, OptionError
from kammerton.formats.json_places import Pointer
from kammerton.formats.reading import Limits, Problems
from kammerton.formats.yaml_text import decode_yaml
from kammerton.instruments.options import LABEL_MAPS, load_label_map
from kammerton.instruments.taxonomy import Links, Taxonomy
from kammerton.instruments.taxonomy_files import TAXONOMIES, load_taxonomy, read_json, read_parents_table
from unit.formats.telling import tell

FORMS = "\n  help: `kammerton explain KT647` shows the forms that are read"
OTHER = '  help: {{"{}": {{...}}}} around it says the other'
QUOTED = "  help: a cell with a separator in it stands between double quotes"
COLON = "  help: text with `: ` in it stands between quotes"
RENAME = "\n  help: give one of them another name"

EDGES = {
    "strings": (),
    "bowed": ("strings",),
    "violin": ("bowed",),
    "cello": ("bowed",),
    "harp": ("strings",),
    "voice": (),
}
"""What :data:`SAME` say, each in its own form."""

SKOS = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n@prefix : <http://example.org/i#> .\n"

SAME = {
    "nested.yaml": "strings:\n  bowed: [violin, cello]\n  harp:\nvoice:\n",
    "lists.yml": "- strings:\n  - bowed:\n    - violin\n    - cello\n  - harp\n- voice\n",
    "nested.json": '{"strings": {"bowed": ["violin", "cello"], "harp": []}, "voice": {}}',
    "tree.json": '{"tree": {"strings": [{"bowed": ["violin", "cello"]}, "harp"], "voice": null}}',
    "parents.json": '{"strings": null, "bowed": "strings", "violin": "bowed", "cello": ["bowed"], '
    '"harp": "strings", "voice": []}',
    "parents.yaml": "parents: {bowed: strings, violin: [bowed], cello: bowed, harp: strings, voice: ~}\n",
    "rows.csv": "node,parent\nbowed,strings\nviolin,bowed\ncello,bowed\nharp,strings\nvoice,\n",
    "ours.csv": '#\nfamily;instrument\nstrings;"bowed"\n bowed ;violin\n\nbowed;cello\nstrings;harp\n;voice',
    "more.tsv": (
        "label\tparent\tparent\nbowed\tstrings\t\nviolin\t\tbowed\ncello\tbowed\t\nharp\tstrings\t\nvoice\t\t\n"
    ),
    "thesaurus.ttl": SKOS + ":strings skos:narrower :bowed .\n:violin skos:broader :bowed .\n"
    ":cello skos:broader :bowed .\n:harp skos:broader :strings .\n:voice skos:prefLabel 'voice' .\n",
    "excel.csv": "sep=;\nnode;parent\nbowed;strings\nviolin;bowed\ncello;bowed\nharp;strings\nvoice;\n",
    "classes.json": json.dumps(
        [
            {"id": "/m/s", "name": "strings", "child_ids": ["/m/b", "/m/h"], "restrictions": []},
            {"id": "/m/b", "name": "bowed", "child_ids": ["/m/1", "/m/2"]},
            {"id": "/m/1", "name": "violin", "child_ids": []},
            {"id": "/m/2", "name": "cello", "child_ids": []},
            {"id": "/m/h", "name": "harp", "child_ids": []},
            {"id": "/m/v", "name": "voice", "child_ids": []},
        ]
    ),
}


def load(folder: Path, name: str, text: str, top: str = "", **options: Any) -> Taxonomy:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return load_taxonomy(f"{path}{top}", **options)


def edges(tree: Taxonomy) -> dict[str, tuple[str, ...]]:
    return {
        node: tuple(tree.nodes[parent] for parent in above)
        for node, above in zip(tree.nodes, tree.parents, strict=True)
    }


def refused(folder: Path, name: str, text: str, top: str = "", **limits: int) -> list[str]:
    with pytest.raises(DataError) as raised:
        load(folder, name, text, top, limits=Limits(**limits))
    assert {each.file for each in raised.value.diagnostics} == {str(folder / name)}
    return [tell(each) for each in raised.value.diagnostics if each.severity != "note"]


def noticed(tree: Taxonomy) -> list[str]:
    """Return what was noticed, but for several nodes at the top."""
    return [tell(each) for each in tree.diagnostics if each.code != "KT645"]


@pytest.mark.parametrize("name", SAME)
def test_one_taxonomy_in_every_form(tmp_path: Path, name: str) -> None:
    tree = load(tmp_path, name, SAME[name])
    assert edges(tree) == EDGES
    assert tree.nodes == tuple(EDGES)
    assert tree.name == name
    assert [each.code for each in tree.diagnostics] == ["KT645"]


def test_programs_by_number_with_their_classes(tmp_path: Path) -> None:
    text = '{"0": {"class": "Piano", "name": "Grand"}, "1": {"class": "Piano", "name": "Clavinet"}, '
    tree = load(tmp_path, "gm.json", text + '"2": {"class": "Drums", "name": "Drums"}}')
    assert edges(tree) == {"Piano": (), "Grand": ("Piano",), "Clavinet": ("Piano",), "Drums": ()}
    assert [each.code for each in tree.diagnostics] == ["KT645"]
    assert refused(tmp_path, "gm.json", text + '"2": {"class": "Organ"}}') == [
        f"error 1:89+3 KT647 not a record: expected `name` and `class`, all of it text{FORMS}"
    ]
    assert refused(tmp_path, "gm.json", text + '"2": "Organ", "3": {"class": "", "name": "x"}}') == [
        f"error 1:89+3 KT647 not a record: expected `name` and `class`, all of it text{FORMS}",
        "error 1:118+2 KT646 node without a name",
    ]


def sachs(**changes: object) -> str:
    """Classes by their codes: 11-9 and 111.1 and what is below them, not the other way around."""
    classes: dict[str, object] = {
        "1": {"Label": "Idiophones", "Instruments": []},
        "11": {"Label": "Struck", "Instruments": ["Struck", "Tamtam"]},
        "11-9": {"Label": "Driven", "Instruments": []},
        "111.1": {"Label": "Concussion", "Instruments": ["Whip"]},
        "111.14+2": {"Label": "Cymbals", "Instruments": ["Zang"]},
        "2": {"Label": "Drums", "Instruments": ["Whip", "Cymbals"]},
    }
    return json.dumps(classes | changes)


def test_classes_by_decimal_codes(tmp_path: Path) -> None:
    tree = load(tmp_path, "hs.json", sachs())
    assert edges(tree) == {
        "Idiophones": (),
        "Struck": ("Idiophones",),
        "Driven": ("Struck",),
        "Concussion": ("Struck",),  # there is no 111
        "Cymbals": ("Concussion",),
        "Drums": (),
        "Tamtam": ("Struck",),
        "Whip": ("Concussion", "Drums"),
        "Zang": ("Cymbals",),
    }
    (note,) = noticed(tree)
    assert note.endswith("KT648 instrument left out: `Cymbals` is a class of its own")
    assert note.startswith("note 1:")


@pytest.mark.parametrize(
    ("code", "record", "said"),
    [
        ("3", {"Label": "Struck", "Instruments": []}, "KT642 two classes of one name: `Struck`"),
        (
            "3",
            {"Label": "Strings"},
            "KT647 not a record: expected `Label` and a list `Instruments`, all of it text",
        ),
        ("3", {"Label": "Strings", "Instruments": [1]}, "KT647 not a record: expected `Label` and a list"),
        ("3", {"Label": " ", "Instruments": []}, "KT646 node without a name"),
        ("3", {"Label": "Strings", "Instruments": [""]}, "KT646 node without a name"),
        ("3", 7, "KT647 not a record"),
    ],
)
def test_classes_that_are_none(tmp_path: Path, code: str, record: object, said: str) -> None:
    (found,) = (each for each in refused(tmp_path, "hs.json", sachs(**{code: record})) if "note" not in each)
    assert said in found


def test_a_mapping_to_other_records_is_none(tmp_path: Path) -> None:
    assert "KT647" in refused(tmp_path, "a.json", '{"a": {"name": "x"}}')[0]
    assert edges(load(tmp_path, "a.json", '{"a": {"name": ["x"]}}'))["x"] == ("name",)


@pytest.mark.skipif("KAMMERTON_SHARED" not in os.environ, reason="KAMMERTON_SHARED names no folder")
def test_published_files_of_records() -> None:
    folder = Path(os.environ["KAMMERTON_SHARED"]) / "data/instruments/taxonomies"
    midi = load_taxonomy(folder / "general_midi_inst_0based.json")
    assert len(midi.nodes) == 129 + 17 - 1  # the drums, a class and its only member
    assert len(midi.families) == 17 - 1
    thesaurus = load_taxonomy(folder / "musicbrainz_skos_mit.ttl")
    assert len(thesaurus.nodes) == 395  # concepts, each with a preferred label
    assert thesaurus.ancestors("Oboe") == ("Double reed", "Reeds", "Woodwind", "Wind instruments")
    sachs = load_taxonomy(folder / "hornbostelSachs_modavis.json")
    tops = "`Idiophones`, `Membranophones`, `Chordophones`, `Aerophones`, `Electrophones`"
    assert any(each.code == "KT645" and tops in each.message for each in sachs.diagnostics)
    assert set(sachs.ancestors("Tamtam")) >= {"Idiophones", "Struck idiophones"}


def test_a_note_tells_the_nodes_at_the_top(tmp_path: Path) -> None:
    (note,) = load(tmp_path, "rows.csv", SAME["rows.csv"]).diagnostics
    assert (
        tell(note) == "note 2:7+7 KT645 2 nodes at the top, below a root without a name: `strings`, `voice`"
    )


def test_files_say_where_they_are_from(tmp_path: Path) -> None:
    heading = '"source": "a book", "licence": "CC0", "root": "a"'
    tree = load(tmp_path, "a.json", f'{{{heading}, "parents": {{"b": "a"}}}}')
    assert (tree.source, tree.licence, tree.roots) == ("a book", "CC0", ("a",))
    tree = load(tmp_path, "a.json", '{"source": 4, "licence": [], "root": 4, "tree": {"a": ["b"]}}')
    assert (tree.source, tree.licence, tree.numbers) == ("", "", {})


def test_paths_need_not_be_text(tmp_path: Path) -> None:
    path = tmp_path / "medleydb"
    path.with_suffix(".csv").write_text("node,parent\na,b\n", encoding="utf-16")
    assert load_taxonomy(path.with_suffix(".csv")).nodes == ("b", "a")
    assert load_taxonomy(os.fsencode(path.with_suffix(".csv"))).nodes == ("b", "a")  # type: ignore[arg-type]
    path.with_suffix(".csv").write_bytes(b"node,parent\nfl\xfcte,b\n")
    assert load_taxonomy(path.with_suffix(".csv"), encoding="latin-1").nodes == ("b", "flüte")


# --- which form a mapping has ----------------------------------------------------------------


def test_lists_of_few_names_are_parents(tmp_path: Path) -> None:
    tree = load(
        tmp_path,
        "a.json",
        '{"cowbell": ["percussion", "bell"], "snare": ["percussion"], "handbell": ["bell"]}',
    )
    assert edges(tree)["cowbell"] == ("percussion", "bell")
    assert noticed(tree) == [
        "note 1:2+9 KT650 lists are read as `node: its parents`\n" + OTHER.format("tree")
    ]


def test_lists_of_many_names_are_members(tmp_path: Path) -> None:
    tree = load(tmp_path, "a.yaml", "percussion: [snare, cowbell]\nbell: [cowbell, handbell]\n")
    assert edges(tree)["cowbell"] == ("percussion", "bell")
    assert noticed(tree) == [
        "note 1:1+10 KT650 lists are read as `family: its members`\n" + OTHER.format("parents"),
        "note 2:8+7 KT648 one node at several places: `cowbell` stands below `percussion` and below `bell`",
    ]


def test_as_many_names_as_lists_are_members_unless_said_otherwise(tmp_path: Path) -> None:
    lists = {"violin": ["strings"], "voice": ["voices"]}
    assert load(tmp_path, "a.json", json.dumps(lists)).leaves == ("strings", "voices")
    assert load(tmp_path, "a.json", json.dumps({"parents": lists})).leaves == ("violin", "voice")
    few = {"a": ["x"], "b": ["x"]}
    assert load(tmp_path, "a.json", json.dumps(few)).leaves == ("a", "b")
    assert load(tmp_path, "a.json", json.dumps({"tree": few})).families == ("a", "b")


def test_names_alone_are_a_taxonomy_without_families(tmp_path: Path) -> None:
    for name, text in {
        "a.yaml": "- a\n- b\n",
        "a.json": '{"a": null, "b": []}',
        "b.json": '["a", "b"]',
    }.items():
        tree = load(tmp_path, name, text)
        assert edges(tree) == {"a": (), "b": ()}
        assert tree.families == ()


# --- the ontology of AudioSet ----------------------------------------------------------------


def ontology(*classes: tuple[str, str, str]) -> str:
    """Return classes of one letter, each with its name and the letters below it, a line each."""
    rows = [json.dumps({"id": id_, "name": name, "child_ids": list(below)}) for id_, name, below in classes]
    return "[\n" + ",\n".join(rows) + "\n]"


SOUNDS = ontology(
    ("s", "Sounds of things", "b"),
    ("m", "Musical instrument", "pb"),
    ("b", "Bell", "ch"),
    ("p", "Percussion", "c"),
    ("c", "Cowbell", ""),
    ("h", "Handbell", ""),
)


def test_what_is_below_musical_instrument_is_taken(tmp_path: Path) -> None:
    tree = load(tmp_path, "ontology.json", SOUNDS)
    assert edges(tree) == {
        "Musical instrument": (),
        "Percussion": ("Musical instrument",),
        "Bell": ("Musical instrument",),
        "Cowbell": ("Percussion", "Bell"),
        "Handbell": ("Bell",),
    }
    assert (tree.roots, tree.name) == (("Musical instrument",), "ontology.json")
    assert tree.diagnostics == ()


def test_another_top_can_be_named(tmp_path: Path) -> None:
    tree = load(tmp_path, "ontology.json", SOUNDS, "#Sounds of things")
    assert tree.nodes == ("Sounds of things", "Bell", "Cowbell", "Handbell")
    assert tree.name == "ontology.json#Sounds of things"
    with pytest.raises(OptionError, match="has no `Bells`") as raised:
        load(tmp_path, "ontology.json", SOUNDS, "#Bells")
    assert raised.value.hint == "did you mean `Bell`?"


def test_an_ontology_without_musical_instruments_is_taken_whole(tmp_path: Path) -> None:
    tree = load(
        tmp_path, "o.json", ontology(("a", "Speech", "b"), ("b", "Whispering", ""), ("c", "Engine", ""))
    )
    assert tree.tops == ("Speech", "Engine")


def test_what_is_wrong_with_an_ontology(tmp_path: Path) -> None:
    text = ontology(
        ("m", "Musical instrument", "axx"), ("a", "Bell", ""), ("b", "Bell", ""), ("a", "Gong", "")
    )
    assert refused(tmp_path, "o.json", text) == [
        "error 2:62+3 KT644 no class has the identifier `x`",
        "error 2:67+3 KT644 no class has the identifier `x`",
        "error 5:8+3 KT642 identifier stands twice: `a`",
    ]
    text = ontology(("m", "Musical instrument", "ab"), ("a", "Bell", ""), ("b", "Bell", ""), ("c", "", ""))
    assert refused(tmp_path, "o.json", text) == ["error 4:21+6 KT642 two classes of one name: `Bell`"]
    text = ontology(("m", "Musical instrument", "ac"), ("a", "Bell", ""), ("c", " ", ""))
    assert refused(tmp_path, "o.json", text) == ["error 4:21+3 KT646 node without a name"]
    text = ontology(("m", "Musical instrument", ""), ("n", "Musical instrument", ""))
    assert refused(tmp_path, "o.json", text) == [
        "error 3:21+20 KT642 two classes of one name: `Musical instrument`"
    ]
    broken = '[{"child_ids": []},\n4,\n{"id": "a", "name": "b", "child_ids": [4]}]'
    message = f"KT647 not a class: expected `id`, `name` and a list `child_ids`, all of them text{FORMS}"
    assert refused(tmp_path, "o.json", broken) == [
        f"error 1:2+17 {message}",
        f"error 2:1+1 {message}",
        f"error 3:1+42 {message}",
    ]


# --- a node at the top -----------------------------------------------------------------------


def test_any_node_can_be_the_top(tmp_path: Path) -> None:
    tree = load(tmp_path, "rows.csv", SAME["rows.csv"], "# bowed ")
    assert edges(tree) == {"bowed": (), "violin": ("bowed",), "cello": ("bowed",)}
    assert tree.diagnostics == ()
    rooted = '{"root": "strings", "parents": {"bowed": "strings", "violin": "bowed"}}'
    assert load(tmp_path, "a.json", rooted, "#bowed").roots == ("bowed",)
    with pytest.raises(OptionError, match=r"a\.json` has no `zzz`") as raised:
        load(tmp_path, "a.json", rooted, "#zzz")
    assert raised.value.hint is None


def test_parents_outside_are_left_out(tmp_path: Path) -> None:
    text = "node,parent\ncowbell,bell\ncowbell,cattle\nbell,top\ncattle,top\n"
    assert edges(load(tmp_path, "a.csv", text, "#bell")) == {"bell": (), "cowbell": ("bell",)}


def test_a_file_may_have_the_mark_in_its_name(tmp_path: Path) -> None:
    assert load(tmp_path, "take#2.csv", SAME["rows.csv"]).name == "take#2.csv"
    assert load(tmp_path, "take#2.csv", SAME["rows.csv"], "#bowed").name == "take#2.csv#bowed"


def test_a_cycle_outside_does_not_matter(tmp_path: Path) -> None:
    text = "node,parent\nviolin,strings\na,b\nb,a\n"
    assert load(tmp_path, "a.csv", text, "#strings").nodes == ("strings", "violin")
    assert load(tmp_path, "a.csv", text + "strings,violin\n", "#strings").nodes == ("strings", "violin")


# --- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("a.yaml", "", ["error KT640 taxonomy without nodes"]),
        ("a.json", "{}", ["error KT640 taxonomy without nodes"]),
        ("a.csv", "", ["error KT640 taxonomy without nodes"]),
        ("a.csv", "node,parent\n", ["error KT640 taxonomy without nodes"]),
        (
            "a.csv",
            "node,parent\nbowed,strings\nstrings,bowed\n",
            ["error 3:9+5 KT641 nodes are below themselves: `bowed` > `strings` > `bowed`"],
        ),
        (
            "a.json",
            '{"violin": "bowed",\n "bowed": ["strings"],\n "strings": "violin"}',
            ["error 3:13+8 KT641 nodes are below themselves: `violin` > `strings` > `bowed` > `violin`"],
        ),
        (
            "a.json",
            '[{"id": "a", "name": "A", "child_ids": ["b"]}, {"id": "b", "name": "B", "child_ids": ["a"]}]',
            ["error 1:41+3 KT641 nodes are below themselves: `A` > `B` > `A`"],
        ),
        (
            "a.yaml",
            "strings: {plucked: [guitar]}\nkeys: {plucked: [harpsichord]}\n",
            [f"error 2:8+7 KT642 two families of one name: `plucked`{RENAME}"],
        ),
        (
            "a.yaml",
            "strings: {plucked: [guitar]}\nkeys: [plucked, piano]\n",
            [f"error 2:8+7 KT643 `plucked` has no members here, and is a family elsewhere{RENAME}"],
        ),
        (
            "a.yaml",
            "keys: [plucked, piano]\nstrings:\n  plucked: [guitar]\n",
            [f"error 3:3+7 KT643 `plucked` is a family here, and has no members elsewhere{RENAME}"],
        ),
        (
            "a.yaml",
            "drums: [drums, snare]\n",
            [f"error 1:9+5 KT643 `drums` stands below a family of its own name{RENAME}"],
        ),
        (
            "a.csv",
            "node,parent\ndrums,drums\nsnare,drums\n",
            [f"error 2:7+5 KT643 `drums` stands below a family of its own name{RENAME}"],
        ),
        (
            "a.json",
            '{"root": "A", "parents": {"B": "A",\n "C": "X"}}',
            ["error 2:7+3 KT644 `X` is not below the root `A`"],
        ),
        (
            "a.json",
            '{"root": "Z", "parents": {"B": "A"}}',
            ["error 1:32+3 KT644 `A` is not below the root `Z`"],
        ),
        (
            "a.yaml",
            "a: [b, '', ' ']\n",
            ["error 1:8+2 KT646 node without a name", "error 1:12+3 KT646 node without a name"],
        ),
        ("a.yaml", "'': [b]\n", ["error 1:1+2 KT646 node without a name"]),
        ("a.json", '{"a": "b\\nc"}', ["error 1:7+6 KT646 name with a control character: `b\\x0ac`"]),
        ("a.json", '{"": "b"}', ["error 1:2+2 KT646 node without a name"]),
        ("a.csv", "node,parent\n,strings\n", ["error 2:1+1 KT646 node without a name"]),
        ("a.csv", 'node,parent\na,"\x01"\n', ["error 2:4+1 KT646 name with a control character: `\\x01`"]),
        (
            "a.json",
            '{"0": {"class": "Piano", "class2": ["x"]}}',
            [f"error 1:17+7 KT647 not a taxonomy: expected a list of names, or families{FORMS}"],
        ),
        (
            "a.yaml",
            "a: [b, [c], ~]\n",
            [
                f"error 1:8+1 KT647 not a taxonomy: expected a name, or a family with its members{FORMS}",
                f"error 1:13+1 KT647 not a taxonomy: expected a name, or a family with its members{FORMS}",
            ],
        ),
        ("a.json", "808", [f"error 1:1+3 KT647 not a taxonomy: expected a mapping, or a list{FORMS}"]),
        ("a.yaml", "piano", [f"error 1:1+5 KT647 not a taxonomy: expected a mapping, or a list{FORMS}"]),
        (
            "a.json",
            '{"parents": {"a": 4, "b": ["c", null]}}',
            [
                f"error 1:19+1 KT647 not a taxonomy: expected the name of a parent{FORMS}",
                f"error 1:33+4 KT647 not a taxonomy: expected the name of a parent{FORMS}",
            ],
        ),
        (
            "a.rdf",
            "<> a skos:Concept",
            [
                "error KT647 not a taxonomy: files are .json, .yaml, .yml, .csv, .tsv, .ttl, not `.rdf`"
                + FORMS
            ],
        ),
        ("a.csv", "violin,strings\n", ["error 1:1+14 KT649 header must be `node,parent`"]),
        ("a.csv", "node\nviolin\n", ["error 1:1+4 KT649 header must be `node,parent`"]),
        ("a.csv", "node,node,parent\nviolin,a,b\n", ["error 1:1+16 KT649 header must be `node,parent`"]),
        (
            "a.csv",
            "node,parent\nviolin\nMarimba, xylophone,mallets\ncello,bowed\n",
            [
                (
                    "error 2:1+6 KT649 row has 1 column, the header 2\n"
                    "  help: a cell that is empty still needs its separator"
                ),
                "error 3:20+7 KT649 row has 3 columns, the header 2\n" + QUOTED,
            ],
        ),
        (
            "a.csv",
            'node,parent\n"violin,strings\n',
            [
                (
                    'error 2:1+1 KT160 quote is not closed: `"violin,strings`\n'
                    "  help: a quote within a quoted field is doubled"
                )
            ],
        ),
        ("a.yaml", "a: b: c\n", ["error 1:5+1 KT170 not valid YAML: unexpected `:`\n" + COLON]),
        ("a.json", '{"a": }', ["error 1:7+1 KT141 not valid JSON: unexpected `}`"]),
        ("a.json", '{"a": [], "a": []}', ["error 1:11+3 KT142 key stands twice in one object: `a`"]),
    ],
)
def test_what_is_refused(tmp_path: Path, name: str, text: str, lines: list[str]) -> None:
    assert refused(tmp_path, name, text) == lines


def test_budgets_are_kept(tmp_path: Path) -> None:
    assert refused(tmp_path, "a.csv", SAME["rows.csv"], rows=4) == ["error KT106 5 rows: over the limit of 4"]
    assert refused(tmp_path, "a.csv", SAME["rows.csv"], label=5) == [
        "error 2:7+7 KT106 name of 7 characters: over the limit of 5",
        "error 3:1+6 KT106 name of 6 characters: over the limit of 5",
        "error 5:6+7 KT106 name of 7 characters: over the limit of 5",
    ]
    assert refused(tmp_path, "a.csv", SAME["rows.csv"], depth=2) == [
        "error 3:1+6 KT106 taxonomy of 3 levels: over the limit of 2"
    ]
    assert refused(tmp_path, "a.yaml", SAME["nested.yaml"], depth=2) == [
        "error 2:10+1 KT106 YAML nested more than 2 levels deep"
    ]
    assert refused(tmp_path, "a.csv", SAME["rows.csv"], bytes=9)[0].startswith("error KT106 file of 7")


def test_repeats_are_left_out_with_a_warning(tmp_path: Path) -> None:
    tree = load(tmp_path, "a.csv", "node,parent\nviolin,strings\nviolin,strings\n")
    assert noticed(tree) == [
        "warning 3:8+7 KT642 `violin` stands below `strings` twice: the second is left out"
    ]
    tree = load(tmp_path, "a.yaml", "strings: {bowed: [violin, violin]}\n")
    assert noticed(tree) == [
        "warning 1:27+6 KT642 `violin` stands below `bowed` twice: the second is left out"
    ]


def test_a_name_at_the_top_and_below(tmp_path: Path) -> None:
    tree = load(tmp_path, "a.yaml", "- voice\n- people: [voice]\n- voice\n")
    assert edges(tree) == {"people": (), "voice": ("people",)}
    assert noticed(tree) == [
        "note 2:12+5 KT648 one node at several places: `voice` stands at the top and below `people`"
    ]


def test_case_is_noticed(tmp_path: Path) -> None:
    tree = load(tmp_path, "a.csv", "node,parent\nguitar,strings\nGuitar,games\n")
    assert noticed(tree)[0].startswith("note 3:1+6 KT651 names differ in case only: `guitar`, `Guitar`\n")


@pytest.mark.parametrize("key", ["a", 'a"b', "a\\", '\\"', "é", 'x\\\\"y'])
def test_keys_of_json_have_their_place(tmp_path: Path, key: str) -> None:
    written = json.dumps(key)
    text = f'{{"t": [{{"x":\n  ["z"]}}, {{ {written}  :["z"]}}, {{{written}: ["y"]}}]}}'
    column = text.split("\n")[1].rindex(written) + 1
    lines = refused(tmp_path, "a.json", text)
    assert lines[0].startswith(f"error 2:{column}+{len(written)} KT642 two families of one name")


@pytest.mark.parametrize(("pointer", "key", "value"), [(("a",), 2, 7), (("b",), 13, 18)])
def test_json_and_yaml_have_the_same_places(pointer: Pointer, key: int, value: int) -> None:
    text, problems = '{"a": null, "b": ["c"]}', Problems("a")
    for source in (read_json(text, problems, Limits()), decode_yaml(text, problems, Limits())):
        assert source is not None
        assert (source.key(pointer).column, source.of(pointer).column) == (key, value)


# --- names -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["general", "", "medley-db#strings"])
def test_unknown_names_are_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("general").mkdir()  # a folder is no file, whatever it is called
    with pytest.raises(OptionError, match="unknown taxonomy") as raised:
        load_taxonomy(name)
    assert "campaign-sample, general-midi, medleydb, openmic-2018" in str(raised.value.hint)


def test_files_that_are_not_there_are_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("nothing.csv", "folder/nothing"):
        with pytest.raises(DataError, match=f"^{name}: KT101 cannot be read: no such file"):
            load_taxonomy(name)
    monkeypatch.chdir(tmp_path)
    Path("mine").mkdir()
    with pytest.raises(DataError, match=r"^\./mine: KT102 not a regular file: a folder"):
        load_taxonomy("./mine")
    with pytest.raises(DataError, match="general-midi: KT101 cannot be read"):
        load_taxonomy(Path("general-midi"))


# --- those that are built in -----------------------------------------------------------------


@pytest.mark.parametrize("name", TAXONOMIES)
def test_built_in_taxonomies(name: str) -> None:
    tree = load_taxonomy(name)
    assert tree.name == name
    assert tree.source
    assert tree.licence
    assert {each.code for each in tree.diagnostics} <= {"KT645"}
    assert load_taxonomy(name) is tree
    written = json.loads(
        files("kammerton.instruments").joinpath("taxonomies", f"{name}.json").read_text("utf-8")
    )
    assert written["summary"].startswith(TAXONOMIES[name].split(" in ")[0])


def test_the_sample_is_the_figure_of_the_campaign() -> None:
    assert edges(load_taxonomy("campaign-sample")) == {
        "A": (),
        **dict.fromkeys("BCD", ("A",)),
        **dict.fromkeys("EFG", ("B",)),
        **dict.fromkeys("HI", ("C",)),
        **dict.fromkeys("JK", ("D",)),
    }


def test_general_midi_has_families_of_eight() -> None:
    tree = load_taxonomy("general-midi")
    assert (len(tree.leaves), len(tree.families), len(tree), tree.roots) == (128, 16, 144, ())
    for place, family in enumerate(tree.families):
        assert tree.children(family) == tree.leaves[8 * place : 8 * place + 8]
    assert [tree.numbers[leaf] for leaf in tree.leaves] == list(range(128))


@pytest.mark.parametrize(
    ("program", "name", "family"),
    [
        (1, "Acoustic Grand Piano", "Piano"),
        (8, "Clavi", "Piano"),
        (9, "Celesta", "Chromatic Percussion"),
        (20, "Church Organ", "Organ"),
        (25, "Acoustic Guitar (nylon)", "Guitar"),
        (33, "Acoustic Bass", "Bass"),
        (41, "Violin", "Strings"),
        (48, "Timpani", "Strings"),
        (49, "String Ensemble 1", "Ensemble"),
        (57, "Trumpet", "Brass"),
        (72, "Clarinet", "Reed"),
        (73, "Piccolo", "Pipe"),
        (81, "Lead 1 (square)", "Synth Lead"),
        (96, "Pad 8 (sweep)", "Synth Pad"),
        (97, "FX 1 (rain)", "Synth Effects"),
        (105, "Sitar", "Ethnic"),
        (113, "Tinkle Bell", "Percussive"),
        (121, "Guitar Fret Noise", "Sound Effects"),
        (128, "Gunshot", "Sound Effects"),
    ],
)
def test_programs_as_the_standard_prints_them(program: int, name: str, family: str) -> None:
    tree = load_taxonomy("general-midi")
    assert tree.leaves[program - 1] == name
    assert tree.ancestors(name) == (family,)


def test_numbers_stay_with_part_of_a_taxonomy() -> None:
    tree = load_taxonomy("general-midi#Bass")
    assert tree.name == "general-midi#Bass"
    assert tree.numbers == {name: 32 + place for place, name in enumerate(tree.leaves)}


def test_openmic_has_twenty_labels_and_our_families() -> None:
    tree = load_taxonomy("openmic-2018")
    assert (len(tree.leaves), len(tree.families), len(tree)) == (20, 5, 25)
    assert {tree.depth(leaf) for leaf in tree.leaves} == {2}  # all labels weigh alike


def test_medleydb() -> None:
    tree = load_taxonomy("medleydb")
    assert (len(tree.leaves), len(tree.families), len(tree)) == (122, 6, 140)
    assert tree.families == ("strings", "winds", "voices", "percussion", "electric", "other")
    assert tree.ancestors("cowbell") == ("idiophones", "percussion")
    assert sorted(tree.depth(leaf) for leaf in tree.leaves) == [2] * 14 + [3] * 108
    assert tree.licence == "MIT"


def test_licences_stand_beside_what_they_cover() -> None:
    data = files("kammerton.instruments")
    medleydb = json.loads(data.joinpath("taxonomies/medleydb.json").read_text("utf-8"))
    assert medleydb["copyright"] in data.joinpath("taxonomies/LICENSE-medleydb.txt").read_text("utf-8")
    cosmir = data.joinpath("maps/LICENSE-cosmir.txt").read_text("utf-8")
    for name in LABEL_MAPS:
        source, licence = data.joinpath("maps", f"{name}.csv").read_text("utf-8").split("\n")[:2]
        if "cosmir" in source:
            assert licence.removeprefix("# licence: MIT, ").split(";")[0] in cosmir
        else:
            assert source.startswith("# source: the Kammerton developers")
            assert licence == "# licence: MIT"


# --- writing ---------------------------------------------------------------------------------

NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")) | st.sampled_from(',;"#| '),
    min_size=1,
    max_size=6,
).filter(str.strip)


@given(st.lists(NAMES, min_size=1, max_size=10), st.data())
def test_a_written_taxonomy_is_read_back(names: list[str], data: st.DataObject) -> None:
    above = {
        name: data.draw(st.lists(st.sampled_from(names[:place]), max_size=3)) if place else []
        for place, name in enumerate(names)
    }
    try:
        tree = Taxonomy.build("any", above)
    except DataError:  # names that are one when they are composed may be below themselves
        return
    problems = Problems("a.csv")
    links = Links(problems, Limits())
    read_parents_table(tree.to_csv(), links, problems, Limits())
    again = links.taxonomy("any")
    assert not problems.has_errors
    assert (again.nodes, again.parents) == (tree.nodes, tree.parents)


# --- pages -----------------------------------------------------------------------------------

BESIDES = {
    "KT646": {"KT650"},
    "KT642": {"KT645"},
    "KT643": {"KT650"},
    "KT648": {"KT645", "KT650"},
    "KT650": {"KT645"},
    "KT651": {"KT645"},
}
"""Codes that come along."""


@pytest.mark.parametrize("code", codes(r"KT6[45]\d"))
def test_the_file_on_a_page_triggers_its_code(tmp_path: Path, code: str) -> None:
    text = example(code)
    first = text.split("\n")[0]
    suffix = (
        ".ttl"
        if first.startswith("@")
        else ".json"
        if first.startswith("{")
        else ".csv"
        if re.fullmatch(r"\w+,\w+", first)
        else ".yaml"
    )
    path = tmp_path / f"a{suffix}"
    path.write_text(text)
    try:
        found: Any = (load_label_map if code > "KT654" else load_taxonomy)(path)
        codes_told = {each.code for each in found.diagnostics}
    except DataError as error:
        codes_told = {each.code for each in error.diagnostics}
    assert code in codes_told
    assert codes_told <= {code} | BESIDES.get(code, set())
