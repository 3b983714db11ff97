# SPDX-License-Identifier: MIT
"""``instruments.evaluate``: lists of labels held in Python."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kammerton.errors import DataError, OptionError
from kammerton.instruments.evaluation import InstrumentScore, InstrumentScores, evaluate
from kammerton.instruments.options import InstrumentOptions
from unit.instruments.scored import DEEP, FIGURE, MEASURES, Parents, equals, figures, listed, options
from unit.instruments.test_flat_and_hierarchical import NAMES

TASK1 = "open-mic-task1"


def path_of(tree: Parents) -> str:
    return options(tree).taxonomy


def task1(found: Mapping[str, float]) -> list[float]:
    return [found[f"{TASK1}/{name}"] for name in NAMES]


def test_an_unknown_label_is_an_error_that_names_what_is_near() -> None:
    with pytest.raises(DataError) as raised:
        evaluate([["violin"], ["guitar"]], [["violine"], ["violin"]], path_of(DEEP))
    (said,) = raised.value.diagnostics
    assert said.code == "KT600"
    assert "`violine`" in said.message
    assert said.hint is not None
    assert "`violin`" in said.hint


@pytest.mark.parametrize("labels", [[1], [["a"]], [None]])
def test_labels_are_strings(labels: list[Any]) -> None:
    with pytest.raises(OptionError, match="string"):
        evaluate([["a"], labels], [["a"], ["b"]])


def test_an_empty_label_is_an_error() -> None:
    with pytest.raises(DataError, match="KT619"):
        evaluate(["a"], [" "])


def test_duplicates_are_told() -> None:
    found = evaluate([["F", "H"], ["F"]], [["F", "F", "H"], ["F"]])
    assert found[f"{TASK1}/AP"] == 1.0
    assert [said.code for said in found.diagnostics] == ["KT603"]


@pytest.mark.parametrize(
    "files",
    [
        ([["p", "v"], ["p"], ["v"], []], [["p"], ["p", "v"], [], ["g"]]),
        ((("p", "v"), ("p",), ("v",), ()), [("p",), ("p", "v"), (), ("g",)]),
        ([np.array(["p", "v"]), ["p"], {"v"}, []], [np.array(["p"]), ["p", "v"], [], ["g"]]),
        (
            {"f1": ["p", "v"], "f2": ["p"], "f3": ["v"], "f4": []},
            {"f4": ["g"], "f2": ["p", "v"], "f1": ["p"], "f3": []},
        ),
    ],
)
def test_s06_files_in_any_form(files: Any) -> None:
    found = evaluate(*files)
    assert [found[f"{TASK1}/{average}_{which}"] for average in ("micro", "macro") for which in "PRF"] == [
        equals(text) for text in ("1/2", "1/2", "1/2", "1/3", "1/2", "1/3")
    ]
    assert found.files == 4
    assert found.instruments["p"] == InstrumentScore(1.0, 1.0, 1.0, hits=2, predicted=2, support=2)
    assert (found.instruments["v"].f1, found.instruments["v"].support) == (0.0, 2)
    assert math.isnan(found.instruments["g"].recall)
    assert list(found.instruments) == ["g", "p", "v"]


S06 = [["p", "v"], ["p"], ["v"], []], [["p"], ["p", "v"], [], ["g"]]


@pytest.mark.parametrize(
    ("labels", "choices", "expected"),
    [("pvg", {}, "1/3"), ("pv", {}, "1/2"), ("pvgx", {"undefined": "zero"}, "1/4"), ("pvgx", {}, "1/3")],
)
def test_s06_the_labels_decide(labels: str, choices: dict[str, Any], expected: str) -> None:
    found = evaluate(*S06, labels=list(labels), **choices)
    assert found[f"{TASK1}/macro_F"] == equals(expected)
    assert list(found.instruments) == sorted(labels)


def test_the_names_of_the_figures() -> None:
    flat = [name for name in MEASURES if name.startswith(TASK1) and "/h" not in name]
    assert list(evaluate(["a"], ["a"])) == flat
    whole = [name for name in MEASURES if name.split("/")[0] in (TASK1, "kiritchenko2006", "lca")]
    assert list(evaluate(["E"], ["E"], path_of(FIGURE))) == whole
    some = evaluate(["E"], ["E"], path_of(FIGURE), protocol=["lca"])
    assert list(some) == ["lca/P", "lca/R", "lca/F"]
    assert isinstance(some, InstrumentScores)
    assert some == evaluate(["E"], ["E"], options=InstrumentOptions(taxonomy=path_of(FIGURE)), protocol="lca")


def test_sets_have_no_average_precision() -> None:
    found = evaluate([["a"]], [{"a", "b"}])
    assert f"{TASK1}/AP" not in found
    assert found[f"{TASK1}/P"] == 0.5


def test_levels_leaves_and_best_labels() -> None:
    tree = path_of(FIGURE)
    assert evaluate(["F", "H"], ["E", "J"], tree, level=1)[f"{TASK1}/P"] == 0.5
    assert evaluate(["F", "B"], ["F"], tree, leaves=True)[f"{TASK1}/R"] == 1.0
    assert evaluate(["F"], ["F", "J"], tree, top_k=1)[f"{TASK1}/P"] == 1.0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([["a"]], [["a"], ["b"]]), "1 reference, and 2 estimates"),
        (({"one": ["a"]}, [["a"]]), "one side names its files"),
        (({"one": ["a"]}, {"two": ["a"]}), "1 file is not in the estimates, such as `one`"),
        (({}, {"two": ["a"]}), "1 file is not in the references, such as `two`"),
        ((["a", ["b"]], [["a"], ["b"]]), "a file of `reference` must be a list of labels, not str"),
        (([["a"], ["b"]], [["a"], 1]), "a file of `estimate` must be a list of labels, not int"),
        (("a", ["a"]), "reference must be a list of labels"),
        ((["a"], 5), "estimate must be a list of labels"),
    ],
)
def test_what_is_no_corpus(given: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        evaluate(*given)


def test_options_that_are_none() -> None:
    with pytest.raises(OptionError, match=r"unknown option `undefind`.*\n.*`undefined`"):
        evaluate(["a"], ["a"], undefind="skip")
    with pytest.raises(OptionError, match="unknown option `threshold`"):
        evaluate(["a"], ["a"], threshold="0.5")
    with pytest.raises(OptionError, match="unknown protocol"):
        evaluate(["a"], ["a"], protocol=["lac"])
    with pytest.raises(OptionError, match="`lca` needs a taxonomy"):
        evaluate(["a"], ["a"], protocol=["lca"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"options": 5}, "options must be InstrumentOptions, not int"),
        ({"taxonomy": 5}, "taxonomy must be a name or a path, not int"),
        ({"protocol": 5}, "`protocol` must be a list of names, not int"),
        ({"protocol": [None]}, "a name in `protocol` must be a str, not NoneType"),
        ({"labels": "piano"}, "`labels` must be a list of names, not str"),
        ({"labels": [1, "a"]}, "a name in `labels` must be a str, not int"),
        ({"top_k": "1"}, "`top_k` must be a whole number, not str"),
    ],
)
def test_arguments_of_another_type(given: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=f"^{message}$"):
        evaluate(["a"], ["a"], **given)


def test_scores_are_not_taken_for_labels() -> None:
    with pytest.raises(
        OptionError, match=r"a file of `estimate` must be a list of labels, not dict\n.*score"
    ):
        evaluate([["a"]], [{"b": 0.25, "a": 0.75}])


def test_nothing_at_all() -> None:
    for found in (evaluate([], []), evaluate([[]], [[]])):
        assert found.files == 1
        assert all(math.isnan(value) for value in found.values())
    nobody = evaluate({}, {})
    assert nobody.files == 0
    assert math.isnan(nobody[f"{TASK1}/P"])


LISTS = st.lists(
    st.tuples(*[st.lists(st.sampled_from("BCDEFGHIJKZ"), max_size=5, unique=True)] * 2),
    min_size=1,
    max_size=7,
)


@given(LISTS, st.sampled_from(("campaign", "skip", "zero", "one", "sklearn", "trec")))
def test_the_figures_are_those_of_the_kernels(
    files: list[tuple[list[str], list[str]]], undefined: str
) -> None:
    truth, said = [list(side) for side in zip(*files, strict=True)]
    found = evaluate(truth, said, path_of(FIGURE), unknown="keep", undefined=undefined)
    chosen = options(FIGURE, unknown="keep", undefined=undefined)
    expected = figures([(listed(ref), listed(est)) for ref, est in files], chosen, list(found))
    assert dict(found) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(LISTS)
def test_files_may_come_in_several_parts(files: list[tuple[list[str], list[str]]]) -> None:
    truth, said = [list(side) for side in zip(*files, strict=True)]
    whole = evaluate(truth, said, path_of(FIGURE), unknown="keep")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kammerton.instruments.evaluation._TOGETHER", 2)
        parts = evaluate(truth, said, path_of(FIGURE), unknown="keep")
    assert dict(parts) == pytest.approx(dict(whole), abs=1e-12, nan_ok=True)
    assert str(parts.instruments) == str(whole.instruments)
