# SPDX-License-Identifier: MIT
"""Taxonomies as people publish them: each is read, or refused with the reason."""

import os
from pathlib import Path

import pytest

from kammerton.errors import DataError
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.instruments.taxonomy_files import load_taxonomy

SHARED = Path(os.environ.get("KAMMERTON_SHARED", "")) / "data/instruments"

pytestmark = pytest.mark.skipif(
    not SHARED.is_dir(), reason="KAMMERTON_SHARED names no folder with real annotations"
)

READ = {
    "campaign_sample_taxonomy.json": (11, 7, 3, 2),
    # 129 programs in 17 classes; `Drums` is both, and then a leaf
    "general_midi_inst_0based.json": (145, 129, 16, 2),
    # 643 codes and 1,724 instruments of other names; 184 codes have nothing below
    "hornbostelSachs_modavis.json": (2367, 1908, 5, 11),
    "jamendo_per_category.json": (128, 121, 7, 2),
    "jamendo_per_instrument.json": (128, 121, 7, 2),
    "medleydb_taxonomy.yaml": (140, 122, 6, 3),
    "musicbrainz_skos_mit.ttl": (395, 280, 5, 8),
    "music-trees_all-instruments.yaml": (293, 293, 0, 1),
    "music-trees_deeper-mdb.yaml": (137, 111, 5, 5),
    "music-trees_ez-taxonomy.yaml": (41, 35, 3, 3),
    "music-trees_joint-taxonomy.yaml": (298, 293, 5, 2),
}
"""Nodes, leaves, families and greatest depth, counted in the files."""

WARNED = {"hornbostelSachs_modavis.json": {"KT642"}}
"""Two instruments stand twice below one code."""

REFUSED = {
    "jams_tag_irmas_instruments.json": "19:18: KT647",
    "jams_tag_openmic25.json": "32:18: KT647",
    "label_maps_to_openmic25.json": "3:16: KT647",
    "medleydb_instrument_f0_type.json": "122:20: KT646",
    "music-trees_katunog.yaml": "30:3: KT646",
    "openmic23_class_map.json": "3:21: KT647",
    "openmic_v0_24_labels.json": "32:18: KT647",
}
"""Place and code of the first error."""


def load(name: str) -> Taxonomy:
    return load_taxonomy(SHARED / "taxonomies" / name)


def edges(tree: Taxonomy) -> set[tuple[str, str]]:
    return {
        (node, tree.nodes[each])
        for node, above in zip(tree.nodes, tree.parents, strict=True)
        for each in above
    }


def test_every_file_is_here() -> None:
    assert {path.name for path in (SHARED / "taxonomies").iterdir()} == set(READ) | set(REFUSED)


@pytest.mark.parametrize("name", READ)
def test_taxonomies_that_are_read(name: str) -> None:
    tree = load(name)
    depth = max(map(tree.depth, tree.nodes))
    assert (len(tree), len(tree.leaves), len(tree.families), depth) == READ[name]
    assert {each.code for each in tree.diagnostics if each.severity != "note"} == WARNED.get(name, set())


@pytest.mark.parametrize("name", REFUSED)
def test_files_that_are_no_taxonomies(name: str) -> None:
    with pytest.raises(DataError) as raised:
        load(name)
    first = next(each for each in raised.value.diagnostics if each.severity == "error")
    assert first.concise().startswith(f"{SHARED / 'taxonomies' / name}:{REFUSED[name]}")


def test_jamendo_is_the_same_from_both_sides() -> None:
    one, other = load("jamendo_per_category.json"), load("jamendo_per_instrument.json")
    assert edges(one) == edges(other)
    assert sum(each.code == "KT648" for each in one.diagnostics) == 20
    assert one.ancestors("violin") == ("popular", "string")


def test_medleydb_is_what_is_built_in() -> None:
    file, ours = load("medleydb_taxonomy.yaml"), load_taxonomy("medleydb")
    assert (file.nodes, file.parents) == (ours.nodes, ours.parents)


def test_the_campaign_is_what_is_built_in() -> None:
    file, ours = load("campaign_sample_taxonomy.json"), load_taxonomy("campaign-sample")
    assert (file.nodes, file.parents) == (ours.nodes, ours.parents)


def test_audioset_is_a_graph_of_92_nodes() -> None:
    tree = load_taxonomy(SHARED / "audioset/ontology.json")
    assert (len(tree), len(tree.leaves), max(map(tree.depth, tree.nodes))) == (92, 70, 4)
    assert tree.roots == ("Musical instrument",)
    assert set(tree.ancestors("Cowbell")) == {"Percussion", "Bell"}
    assert tree.ancestors("Bicycle bell") == ("Bell",)
    several = [node for node, above in zip(tree.nodes, tree.parents, strict=True) if len(above) > 1]
    assert several == ["Cowbell"]
    assert tree.diagnostics == ()
