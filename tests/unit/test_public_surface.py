# SPDX-License-Identifier: MIT
"""Which names are public; each is documented."""

import inspect
import re
from typing import Any

import pytest

import kammerton as kt
from kammerton import chords, fingering

KAMMERTON = [
    *("Agreement", "Checked", "Comparison", "Converted", "Difference", "Example", "GateResult", "ItemView"),
    *("Model", "Packed", "Scene", "example", "explain", "measures"),
    *("DataError", "Diagnostic", "KammertonError", "LabelError", "OptionError", "OutputError", "Scores"),
    *(
        "Accumulator",
        "Annotations",
        "annotate",
        "Fusion",
        "fuse",
        "gate",
        "__version__",
        "agree",
        "check",
        "chords",
        "compare",
        "convert",
        "diff",
    ),
    *(
        "fingering",
        "instruments",
        "keeping",
        "pack",
        "read_run",
        "report",
        "scenes",
        "score",
        "show",
        "train",
        "write_run",
    ),
]
CHORDS = [
    *("TASK", "Chord", "ChordAnnotation", "ChordOptions", "Degree"),
    *("evaluate", "frame_csr", "fuse", "parse", "read", "write"),
]
FINGERING = [
    "TASK",
    "BiomechanicalConstraints",
    "Fingering",
    "FingeringMetrics",
    "FingeringOptions",
    "decode",
    "evaluate",
    "read",
    "write",
]
DOCUMENTED = [
    *((f"kammerton.{name}", getattr(kt, name)) for name in KAMMERTON if not name.startswith("__")),
    *((f"kammerton.chords.{name}", getattr(chords, name)) for name in CHORDS if name != "TASK"),
    *((f"kammerton.fingering.{name}", getattr(fingering, name)) for name in FINGERING if name != "TASK"),
]
FUNCTIONS = [(name, value) for name, value in DOCUMENTED if inspect.isfunction(value)]
ERRORS = {
    kt.KammertonError: Exception,
    kt.OptionError: kt.KammertonError,
    kt.DataError: kt.KammertonError,
    kt.LabelError: kt.DataError,
    kt.OutputError: kt.KammertonError,
}


def named(cases: list[tuple[str, Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("value", [value for _, value in cases], ids=[name for name, _ in cases])


def test_the_names_of_kammerton_are_these() -> None:
    assert sorted(kt.__all__) == sorted(KAMMERTON)
    assert sorted(dir(kt)) == sorted(KAMMERTON)
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", kt.__version__)


def test_the_names_of_chords_are_these() -> None:
    assert sorted(chords.__all__) == sorted(CHORDS)
    assert all(hasattr(chords, name) for name in CHORDS)


def test_the_names_of_fingering_are_these() -> None:
    assert sorted(fingering.__all__) == sorted(FINGERING)


def test_no_other_name_is_found() -> None:
    with pytest.raises(AttributeError, match="module 'kammerton' has no attribute 'scores'"):
        _ = kt.scores


@named(DOCUMENTED)
def test_every_name_is_documented(value: Any) -> None:
    documentation = inspect.getdoc(value)
    assert documentation
    summary = documentation.splitlines()[0]
    assert summary.endswith(".")
    assert len(summary) <= 100


@named(FUNCTIONS)
def test_every_function_documents_its_parameters_and_what_it_returns(value: Any) -> None:
    documentation = inspect.getdoc(value) or ""
    sections = re.split(r"^([A-Z][a-z]+)\n-+\n", documentation, flags=re.MULTILINE)
    by_name = dict(zip(sections[1::2], sections[2::2], strict=True))
    described = {
        name.strip().lstrip("*")
        for line in by_name["Parameters"].splitlines()
        if re.match(r"\*{0,2}\w[\w, ]*( :|$)", line)
        for name in line.split(" : ")[0].split(",")
    }
    assert described == set(inspect.signature(value).parameters)
    assert by_name["Returns"].strip()
    assert list(by_name) == [
        name
        for name in ("Parameters", "Returns", "Raises", "Notes", "References", "Examples")
        if name in by_name
    ]


@pytest.mark.parametrize(("error", "base"), ERRORS.items(), ids=[error.__name__ for error in ERRORS])
def test_errors_form_a_tree(error: type[Exception], base: type[Exception]) -> None:
    assert error.__bases__ == ((base, ValueError) if error in (kt.OptionError, kt.DataError) else (base,))
