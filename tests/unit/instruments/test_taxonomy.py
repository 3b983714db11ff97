# SPDX-License-Identifier: MIT
"""What a taxonomy says of its nodes: on the campaign's figure, on graphs, and on any graph."""

import copy
import pickle
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kammerton.errors import DataError, OptionError
from kammerton.instruments.taxonomy import Taxonomy
from unit.formats.telling import tell

FIGURE = Taxonomy.build(
    "figure",
    {
        "A": [],
        **dict.fromkeys("BCD", "A"),
        **dict.fromkeys("EFG", "B"),
        **dict.fromkeys("HI", "C"),
        **dict.fromkeys("JK", "D"),
    },
)
BELLS = Taxonomy.build(
    "bells",
    {
        "percussion": "instrument",
        "bell": "instrument",
        "snare": "percussion",
        "cowbell": ["percussion", "bell"],
        "handbell": "bell",
    },
)
"""Cases C30 to C32: a cowbell is percussion, and a bell."""

DEEP = Taxonomy.build(
    "deep",
    {
        "violin": "bowed",
        "bowed": "strings",
        "guitar": "plucked",
        "plucked": "strings",
        "strings": "instrument",
        "voice": "instrument",
        "male singer": "voice",
    },
)
"""Cases C33 to C36: leaves of different depth."""

FAMILIES = Taxonomy.build(
    "families", {"violin": ["strings"], "cello": ["strings"], "voice": [], "organ": ["winds", "keys"]}
)
"""Several nodes at the top, one of them a leaf."""

STAIRS = Taxonomy.build("stairs", {"b": "a", "c": ["b", "a"], "d": ["c", "a"], "e": ["d", "c"]})
"""Short cuts: depth is the longest way, nearness the shortest."""


def test_parents_come_before_children_and_families_stay_together() -> None:
    assert FIGURE.nodes == tuple("ABEFGCHIDJK")
    assert BELLS.nodes == ("instrument", "percussion", "snare", "bell", "cowbell", "handbell")
    assert DEEP.nodes == (
        *("instrument", "strings", "bowed", "violin", "plucked", "guitar"),
        *("voice", "male singer"),
    )
    assert FAMILIES.nodes == ("strings", "violin", "cello", "voice", "winds", "keys", "organ")
    assert BELLS.parents == ((), (0,), (1,), (0,), (1, 3), (3,))
    assert [FIGURE.index[node] for node in FIGURE.nodes] == list(range(11))
    assert len(FIGURE) == 11


def test_a_single_top_is_the_root() -> None:
    assert [tree.roots for tree in (FIGURE, BELLS, FAMILIES)] == [("A",), ("instrument",), ()]
    assert [tree.tops for tree in (FIGURE, FAMILIES)] == [("A",), ("strings", "voice", "winds", "keys")]


def test_families_and_leaves() -> None:
    assert FIGURE.families == ("B", "C", "D")
    assert FIGURE.leaves == tuple("EFGHIJK")
    assert BELLS.families == ("percussion", "bell")
    assert DEEP.families == ("strings", "voice")
    assert DEEP.leaves == ("violin", "guitar", "male singer")
    assert FAMILIES.families == ("strings", "winds", "keys")
    assert STAIRS.families == ("b", "c", "d")  # all of them children of the root


@pytest.mark.parametrize(
    ("tree", "label", "above"),
    [
        (FIGURE, "F", ("B",)),
        (FIGURE, "B", ()),
        (FIGURE, "A", ()),
        (BELLS, "cowbell", ("percussion", "bell")),
        (BELLS, "snare", ("percussion",)),
        (DEEP, "violin", ("bowed", "strings")),
        (DEEP, "male singer", ("voice",)),
        (FAMILIES, "organ", ("winds", "keys")),
        (FAMILIES, "voice", ()),
        (STAIRS, "e", ("d", "c", "b")),
        (STAIRS, "d", ("c", "b")),
    ],
)
def test_ancestors(tree: Taxonomy, label: str, above: tuple[str, ...]) -> None:
    assert tree.ancestors(label) == above


@pytest.mark.parametrize(
    ("tree", "label", "below", "beside", "depth"),
    [
        (FIGURE, "A", ("B", "C", "D"), (), 0),
        (FIGURE, "B", ("E", "F", "G"), (), 1),  # families are no siblings
        (FIGURE, "F", (), ("E", "G"), 2),
        (BELLS, "cowbell", (), ("snare", "handbell"), 2),
        (BELLS, "snare", (), ("cowbell",), 2),
        (DEEP, "violin", (), (), 3),
        (DEEP, "bowed", ("violin",), ("plucked",), 2),
        (FAMILIES, "strings", ("violin", "cello"), (), 1),
        (FAMILIES, "voice", (), (), 1),
        (FAMILIES, "violin", (), ("cello",), 2),
        (FAMILIES, "keys", ("organ",), (), 1),
        (STAIRS, "d", ("e",), ("e",), 3),  # beside it below c, and below it
        (STAIRS, "e", (), ("d",), 4),
    ],
)
def test_neighbours(
    tree: Taxonomy, label: str, below: tuple[str, ...], beside: tuple[str, ...], depth: int
) -> None:
    assert (tree.children(label), tree.siblings(label), tree.depth(label)) == (below, beside, depth)


DIAMOND = Taxonomy.build(
    "diamond", {"x": ["p", "q"], "y": ["p", "q"], "p": "top", "q": "top", "z": "r", "r": "top"}
)


@pytest.mark.parametrize(
    ("tree", "one", "other", "common"),
    [
        (FIGURE, "H", "I", ("C",)),
        (FIGURE, "F", "F", ("F",)),
        (FIGURE, "F", "J", ("A",)),
        (FIGURE, "F", "B", ("B",)),
        (FIGURE, "A", "K", ("A",)),
        (FIGURE, "A", "A", ("A",)),
        (BELLS, "cowbell", "handbell", ("bell",)),
        (BELLS, "snare", "cowbell", ("percussion",)),
        (BELLS, "snare", "handbell", ("instrument",)),
        (DEEP, "violin", "guitar", ("strings",)),
        (DEEP, "violin", "strings", ("strings",)),
        (DEEP, "violin", "male singer", ("instrument",)),
        (FAMILIES, "violin", "voice", ("",)),
        (FAMILIES, "voice", "voice", ("voice",)),
        (FAMILIES, "organ", "winds", ("winds",)),
        (DIAMOND, "x", "y", ("p", "q")),
        (DIAMOND, "x", "z", ("top",)),
        (STAIRS, "e", "d", ("d",)),
        (STAIRS, "e", "b", ("b",)),
    ],
)
def test_lowest_common_ancestors(tree: Taxonomy, one: str, other: str, common: tuple[str, ...]) -> None:
    assert tree.lca(one, other) == common
    assert tree.lca(other, one) == common


@pytest.mark.parametrize(
    ("tree", "label", "level", "found"),
    [
        (FIGURE, "F", 1, ("B",)),
        (FIGURE, "F", 2, ("F",)),
        (FIGURE, "F", 9, ("F",)),
        (FIGURE, "A", 1, ("A",)),
        (BELLS, "cowbell", 1, ("percussion", "bell")),
        (DEEP, "violin", 1, ("strings",)),
        (DEEP, "violin", 2, ("bowed",)),
        (DEEP, "male singer", 2, ("male singer",)),
        (FAMILIES, "violin", 1, ("strings",)),
        (FAMILIES, "voice", 1, ("voice",)),
        (STAIRS, "e", 2, ("c",)),
    ],
)
def test_projection(tree: Taxonomy, label: str, level: int, found: tuple[str, ...]) -> None:
    assert tree.project(label, level) == found


def test_what_a_node_is_projected_to_is_in_the_order_of_nodes() -> None:
    tree = Taxonomy.build("order", {"drum": "percussion", "gong": "bell", "cowbell": ["bell", "percussion"]})
    assert tree.ancestors("cowbell") == ("bell", "percussion")
    assert tree.project("cowbell", 1) == ("percussion", "bell")


def test_levels_are_counted_from_one() -> None:
    with pytest.raises(OptionError, match="`level` is at least 1, got 0"):
        FIGURE.project("F", 0)


def test_closure_is_one_row_for_each_node() -> None:
    offsets, rows = BELLS.closure()
    assert offsets.tolist() == [0, 0, 1, 3, 4, 7, 9]
    assert rows.tolist() == [1, 2, 1, 3, 4, 1, 3, 5, 3]
    assert offsets.dtype == rows.dtype == np.dtype(np.int64)
    with pytest.raises(ValueError, match="read-only"):
        rows[0] = 5
    assert FAMILIES.closure()[0].tolist() == [0, 1, 3, 5, 6, 7, 8, 11]


def test_nearest_names() -> None:
    assert DEEP.nearest("Violins") == ("violin",)
    assert DEEP.nearest("string") == ("strings",)
    assert DEEP.nearest("zzz") == ()
    assert BELLS.nearest("bells", n=1) == ("bell",)
    saxophones = Taxonomy.build(
        "saxophones", {f"{pitch} saxophone": [] for pitch in ("alt", "bas", "ten", "sop")}
    )
    assert len(saxophones.nearest("saxophone")) == 3
    assert len(saxophones.nearest("saxophone", n=4)) == 4
    assert Taxonomy.build("two", {"Guitar": [], "guitar": []}).nearest("GUITAR") == ("Guitar",)


@pytest.mark.parametrize("method", ["ancestors", "children", "siblings", "depth", "number"])
def test_labels_that_are_no_nodes_are_refused(method: str) -> None:
    with pytest.raises(OptionError, match="taxonomy `deep` has no `Violin`") as raised:
        getattr(DEEP, method)("Violin")
    assert raised.value.hint == "nearest: `violin`"
    with pytest.raises(OptionError, match="taxonomy `deep` has no `zzz`") as raised:
        getattr(DEEP, method)("zzz")
    assert raised.value.hint is None
    with pytest.raises(OptionError, match="name of a node must be a str, not int"):
        getattr(DEEP, method)(4)


def test_drawing() -> None:
    assert BELLS.draw({"bell": "2", "cowbell": "hit\n"}) == (
        "instrument\n"
        "  percussion\n"
        "    snare\n"
        "    cowbell  hit\\x0a\n"
        "  bell  2\n"
        "    cowbell  hit\\x0a\n"
        "    handbell"
    )
    assert FAMILIES.draw().split("\n")[:4] == ["strings", "  violin", "  cello", "voice"]


def test_what_is_below_a_node_is_drawn_once() -> None:
    twice = Taxonomy.build("twice", {"c": ["a", "b"], "d": "c"})
    assert twice.draw() == "a\n  c\n    d\nb\n  c ..."
    ladder = Taxonomy.build(
        "ladder", {f"{n}{side}": [f"{n - 1}x", f"{n - 1}y"] for n in range(1, 60) for side in "xy"}
    )
    assert len(ladder.draw().split("\n")) == 2 + 4 * 59
    assert ladder.ancestors("59x")[:3] == ("58x", "58y", "57x")


def test_a_taxonomy_is_written_as_a_table() -> None:
    assert BELLS.to_csv() == (
        "node,parent\ninstrument,\npercussion,instrument\nsnare,percussion\nbell,instrument\n"
        "cowbell,percussion\ncowbell,bell\nhandbell,bell\n"
    )
    assert Taxonomy.build("one", {'a, "b"': []}).to_csv() == 'node,parent\n"a, ""b""",\n'


def test_a_taxonomy_is_copied_whole() -> None:
    for other in (copy.deepcopy(BELLS), pickle.loads(pickle.dumps(BELLS))):
        assert (other.nodes, other.parents, other.lca("snare", "cowbell")) == (
            BELLS.nodes,
            BELLS.parents,
            ("percussion",),
        )


# --- building --------------------------------------------------------------------------------


def refused(parents: Mapping[str, str | Sequence[str]]) -> list[str]:
    with pytest.raises(DataError) as raised:
        Taxonomy.build("mine", parents)
    return [tell(each) for each in raised.value.diagnostics]


def test_what_no_taxonomy_can_be_made_of() -> None:
    assert refused({}) == ["error KT640 taxonomy without nodes"]
    assert refused({"a": "b", "b": "c", "c": "a"}) == [
        "error KT641 nodes are below themselves: `a` > `c` > `b` > `a`"
    ]
    assert refused({"a": ["a"]}) == [
        "error KT643 `a` stands below a family of its own name\n  help: give one of them another name"
    ]
    assert refused({" ": "b"}) == ["error KT646 node without a name"]
    assert refused({"a": ""}) == ["error KT646 node without a name"]
    assert refused({"a\nb": []}) == ["error KT646 name with a control character: `a\\x0ab`"]
    assert refused({"a" * 4097: []}) == ["error KT106 name of 4,097 characters: over the limit of 4,096"]


def test_each_cycle_is_said() -> None:
    assert refused({"a": "b", "b": "a", "c": "d", "d": "c", "e": []}) == [
        "error KT641 nodes are below themselves: `a` > `b` > `a`",
        "error KT641 nodes are below themselves: `c` > `d` > `c`",
    ]
    many = {f"{number}{one}": f"{number}{other}" for number in range(30) for one, other in ("xy", "yx")}
    assert len(refused(many)) == 20


def test_size_and_depth_are_bounded() -> None:
    chain = {str(number): str(number + 1) for number in range(63)}
    assert Taxonomy.build("deep", chain).depth("0") == 63
    assert refused({**chain, "63": "64"}) == ["error KT106 taxonomy of 65 levels: over the limit of 64"]
    many: dict[str, list[str]] = {str(number): [] for number in range(10_000)}
    assert len(Taxonomy.build("wide", many)) == 10_000
    assert refused({**many, "more": []}) == ["error KT106 taxonomy of 10,001 nodes: over the limit of 10,000"]


def test_names_are_compared_as_labels_are() -> None:
    built = Taxonomy.build("mine", {" cue\u0301s ": "b", "c": "cu\u00e9s", "b": "a"})
    assert built.ancestors("c") == ("cu\u00e9s", "b")


CASE = "  help: labels that are matched whatever their case stand for the first"


def test_what_is_noticed_is_kept() -> None:
    assert FIGURE.diagnostics == ()
    built = Taxonomy.build("mine", {"a": ["b", "b"], "A": "c"})
    assert [tell(each) for each in built.diagnostics] == [
        "warning KT642 `a` stands below `b` twice: the second is left out",
        "note KT645 2 nodes at the top, below a root without a name: `b`, `c`",
        "note KT651 names differ in case only: `a`, `A`\n" + CASE,
    ]
    wide = Taxonomy.build("wide", {node: [] for node in "abcdef"})
    assert tell(wide.diagnostics[0]).endswith(": `a`, `b`, `c`, `d`, `e`, ...")


@pytest.mark.parametrize("parents", [{4: "a"}, {"a": [4]}, {"a": [None]}])
def test_names_are_text(parents: dict[str, str]) -> None:
    with pytest.raises(OptionError, match="name of a node must be a str, not "):
        Taxonomy.build("mine", parents)


# --- any graph -------------------------------------------------------------------------------


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, list[str]]:
    """Return parents of nodes, in any order; a node's parents have lower numbers than itself."""
    count = draw(st.integers(1, 12))
    above = {
        str(node): [str(each) for each in draw(st.lists(st.integers(0, node - 1), unique=True, max_size=3))]
        if node
        else []
        for node in range(count)
    }
    return {node: above[node] for node in draw(st.permutations(list(above)))}


def brute_force(parents: Mapping[str, list[str]], node: str) -> set[str]:
    """Return all ancestors, by walking all ways up."""
    found = set()
    for parent in parents[node]:
        found |= {parent} | brute_force(parents, parent)
    return found


@given(graphs())
def test_closures_hold_what_all_ways_up_meet(parents: dict[str, list[str]]) -> None:
    tree = Taxonomy.build("any", parents)
    offsets, rows = tree.closure()
    for place, node in enumerate(tree.nodes):
        above = brute_force(parents, node) - set(tree.roots)
        assert set(tree.ancestors(node)) == above
        assert len(tree.ancestors(node)) == len(above)
        own = {node} - set(tree.roots)
        assert {tree.nodes[each] for each in rows[offsets[place] : offsets[place + 1]]} == above | own
        assert [tree.nodes[each] for each in tree.parents[place]] == parents[node]
        assert all(each < place for each in tree.parents[place])


def distance(parents: Mapping[str, list[str]], node: str, ancestor: str) -> float:
    if node == ancestor:
        return 0
    return 1 + min((distance(parents, parent, ancestor) for parent in parents[node]), default=np.inf)


@given(graphs())
def test_the_nearest_come_first(parents: dict[str, list[str]]) -> None:
    tree = Taxonomy.build("any", parents)
    for node in tree.nodes:
        ways = [distance(parents, node, ancestor) for ancestor in tree.ancestors(node)]
        assert ways == sorted(ways)


@given(graphs(), st.data())
def test_laws_of_common_ancestors(parents: dict[str, list[str]], data: st.DataObject) -> None:
    tree = Taxonomy.build("any", parents)
    one, other = (data.draw(st.sampled_from(tree.nodes)) for _ in range(2))
    common = tree.lca(one, other)
    assert common == tree.lca(other, one)
    assert tree.lca(one, one) == (one,)
    shared = ({one} | brute_force(parents, one)) & ({other} | brute_force(parents, other))
    deepest = max((tree.depth(node) for node in shared), default=0)
    assert set(common) == ({node for node in shared if tree.depth(node) == deepest} or {""})
