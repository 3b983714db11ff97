# SPDX-License-Identifier: MIT
"""YAML is data: what it says, where that stands, and what is refused."""

import re
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from effort import effort
from explained import codes, example
from kammerton.formats import yaml_text
from kammerton.formats.reading import Limits, Problems
from kammerton.formats.yaml_text import YamlDocument, decode_yaml
from unit.formats.telling import tell

LOADERS = [yaml.SafeLoader, *([yaml.CSafeLoader] if hasattr(yaml, "CSafeLoader") else [])]


@pytest.fixture(params=LOADERS, ids=lambda loader: loader.__name__, autouse=True)
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Both parsers say the same."""
    monkeypatch.setattr(yaml_text, "_LOADER", request.param)
    return request.param


ENDS = "  help: is a bracket or a quote still open, or a colon missing?"
COLON = "  help: text with `: ` in it stands between quotes"
TAGS = "  help: YAML is read as mappings, lists and text; nothing is constructed"


def said(text: str, **limits: int) -> list[str]:
    problems = Problems("a.yaml")
    assert decode_yaml(text, problems, Limits(**limits)) is None
    return [tell(each) for each in problems.diagnostics()]


def read(text: str, **limits: int) -> YamlDocument:
    problems = Problems("a.yaml")
    document = decode_yaml(text, problems, Limits(**limits))
    assert document is not None
    assert problems.diagnostics() == ()
    return document


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# nothing\n", None),
        ("---\n...\n", None),
        ("piano", "piano"),
        ("- a\n- [b, {c: d}]\n", ["a", ["b", {"c": "d"}]]),
        ("a:\nb: ~\nc: null\nd: 'null'\ne: ''\n", {"a": None, "b": None, "c": None, "d": "null", "e": ""}),
        ("[no, on, 010, 1e3, 2010-01-01, .inf]", ["no", "on", "010", "1e3", "2010-01-01", ".inf"]),
        ("a: !!null x\nb: !!str ~\nc: !!int 4\nd: ! 5\n", {"a": None, "b": "~", "c": "4", "d": "5"}),
        ("!!map {a: !!seq [b]}", {"a": ["b"]}),
        ("~: a\n808: b\n", {"~": "a", "808": "b"}),
        ("a: &x [b, c]\nd: *x\ne: &y f\ng: *y\n", {"a": ["b", "c"], "d": ["b", "c"], "e": "f", "g": "f"}),
        ("&k a: b\nc: *k\n", {"a": "b", "c": "a"}),
        ("a: |\n  one\n  two\n", {"a": "one\ntwo\n"}),
        ("'<<': a\n", {"<<": "a"}),
        ("x: &a b\ny: &a c\nz: *a\n", {"x": "b", "y": "c", "z": "c"}),
    ],
)
def test_what_a_text_says(text: str, value: object) -> None:
    assert read(text).value == value


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: b: c\n", "error 1:5+1 KT170 not valid YAML: unexpected `:`\n" + COLON),
        ("a:\n\t- b\n", "error 2:1+1 KT170 not valid YAML: unexpected tab\n  help: indent with spaces"),
        ("a: [b, c\n", "error 1:9+1 KT170 YAML ends too early\n" + ENDS),
        ("a: 'b\n\n", "error 1:6+1 KT170 YAML ends too early\n" + ENDS),
        ("a: @b", "error 1:4+1 KT170 not valid YAML: unexpected `@`"),
        ("a: [b]]", "error 1:7+1 KT170 not valid YAML: unexpected `]`"),
        ("a: b\nword\n", "error 2:5+1 KT170 YAML ends too early\n" + ENDS),
        ("%YAML 3.0\n---\na\n", "error 1:1+1 KT170 not valid YAML: unexpected `%`"),
        ("a: b\x07\n", "error 1:5+1 KT170 character that YAML does not allow: `\\x07`"),
        ("x\n---\ny\n", "error 2:1+3 KT170 second document\n  help: one file holds one value"),
        ("a: *x", "error 1:4+2 KT170 alias of nothing: no anchor `x` before it"),
        ("a: &a [[*a]]", "error 1:9+2 KT172 alias `a` stands within what it stands for"),
        (
            "a: !!python/object:os.system x",
            "error 1:4+27 KT171 tag is not read: `tag:yaml.org,2002:python/object:os.syst…`\n" + TAGS,
        ),
        ("a: !b {c: d}", "error 1:4+4 KT171 tag is not read: `!b`\n" + TAGS),
        ("a: !!binary R0lG", "error 1:4+13 KT171 tag is not read: `tag:yaml.org,2002:binary`\n" + TAGS),
        ("<<: {a: b}", "error 1:1+2 KT171 merge key `<<` is not read\n  help: write the members out"),
        ("? [a]\n: b", "error 1:3+1 KT171 key that is no text\n  help: keys of mappings are text here"),
        (
            "a: &a b\n? *a\n: c",
            "error 2:3+2 KT171 key that is no text\n  help: keys of mappings are text here",
        ),
        ("{a: b, 'a': c}", "error 1:8+3 KT142 key stands twice in one mapping: `a`"),
        ("ä𝄞: [é, ö𝄞, *nope]", "error 1:13+5 KT170 alias of nothing: no anchor `nope` before it"),
        ("a: b\u2028c: [*x]", "error 1:10+2 KT170 alias of nothing: no anchor `x` before it"),
    ],
)
def test_what_is_refused(text: str, line: str) -> None:
    assert said(text)[0] == line


def test_keys_that_stand_twice_are_all_said() -> None:
    assert len(said("a: 1\na: 2\na: 3\n")) == 2


def test_depth_is_bounded_aliases_written_out() -> None:
    assert read("[[a]]", depth=2).value == [["a"]]
    assert said("[[[a]]]", depth=2) == ["error 1:3+1 KT106 YAML nested more than 2 levels deep"]
    assert read("a: &x [b]\nc: [*x]", depth=3).value == {"a": ["b"], "c": [["b"]]}
    assert said("a: &x [b]\nc: [*x]", depth=2) == ["error 2:5+2 KT106 YAML nested more than 2 levels deep"]


def test_brackets_without_end_are_refused_at_once() -> None:
    (line,) = said("[" * 1_000_000)
    assert re.match(r"error 1:(65|1001)\+1 KT1(06|70) ", line)


def test_size_is_bounded_aliases_written_out() -> None:
    assert read("[a, b]", rows=3).value == ["a", "b"]
    assert said("[a, b]", rows=2) == ["error 1:5+1 KT106 more than 2 values in the YAML"]
    laughs = "a: &a [l, l, l, l, l, l, l, l, l, l]\n" + "".join(
        f"{name}: &{name} [{', '.join(['*' + before] * 10)}]\n"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    spent, (line,) = effort(lambda: said(laughs))
    assert re.match(r"error [67]:\d+\+2 KT106 more than 1,000,000 values in the YAML", line)
    assert spent < 100


def test_small_lists_within_large_ones_are_counted_too() -> None:
    assert said("[[a, a], [a, a], [a, a]]", rows=8) == ["error 1:18+1 KT106 more than 8 values in the YAML"]


STEMS = """\
stems:
  S01:
    instrument: piano
    raw: &raw
      - violin
      - {R02: cello}
  S02: *raw
"""


@pytest.mark.parametrize(
    ("pointer", "place", "token"),
    [
        ((), (1, 1), "stems:"),
        (("stems", "S01", "instrument"), (3, 17), "piano"),
        (("stems", "S01", "raw", 0), (5, 9), "violin"),
        (("stems", "S01", "raw", 1, "R02"), (6, 15), "cello"),
        (("stems", "S02"), (7, 8), "*raw"),
        (("stems", "S02", 0), (5, 9), "violin"),
        (("stems", "S02", 7), (7, 8), "*raw"),
        (("stems", "S01", "nothing", "here"), (3, 5), "instrument: piano"),
    ],
)
def test_where_values_stand(pointer: tuple[str | int, ...], place: tuple[int, int], token: str) -> None:
    found = read(STEMS).of(pointer)
    assert (found.file, found.line, found.column) == ("a.yaml", *place)
    assert (found.token() or "").startswith(token) or token.startswith(found.token() or "?")


@pytest.mark.parametrize(
    ("pointer", "place", "token"),
    [
        (("stems",), (1, 1), "stems"),
        (("stems", "S01", "raw"), (4, 5), "raw"),
        (("stems", "S01", "raw", 0), (5, 9), "violin"),
        (("stems", "S02", 1, "R02"), (6, 10), "R02"),
    ],
)
def test_where_keys_stand(pointer: tuple[str | int, ...], place: tuple[int, int], token: str) -> None:
    found = read(STEMS).key(pointer)
    assert (found.line, found.column, found.token()) == (*place, token)


TREES = st.recursive(
    st.text(alphabet="abc~ :#-é'\n", max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("xyz: ", max_size=4), inner, max_size=3)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("flow", [False, True])
def test_what_yaml_writes_is_read_back(loader: Any, flow: bool) -> None:
    @given(TREES)
    def holds(value: object) -> None:
        text = yaml.safe_dump(value, default_flow_style=flow, allow_unicode=True)
        assert read(text).value == value

    holds()


@given(st.text(alphabet="ab:-[]{}&*!'\"|>#?,% \n\t~<", max_size=40))
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    problems = Problems("a.yaml")
    document = decode_yaml(text, problems, Limits())
    assert (document is None) == bool(problems.diagnostics())
    for problem in problems.diagnostics():
        assert problem.line is not None
        assert problem.column is not None


@pytest.mark.parametrize("code", codes(r"KT17\d"))
def test_the_file_on_a_page_triggers_its_code(code: str) -> None:
    (line,) = said(example(code))
    assert f" {code} " in line
