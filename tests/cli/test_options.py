# SPDX-License-Identifier: MIT
"""Options are those of the Python calls: names, types, defaults, and their first sentence as help."""

import inspect
import typing
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest

import kammerton
from cli.harness import Terminal
from kammerton.cli import files, pages, scoring, systems
from kammerton.cli.options import with_options
from kammerton.model.registry import TASKS, find_task
from kammerton.statistics.comparison import Test
from kammerton.statistics.resampling import Method
from kammerton.systems import fused

VERBS: dict[str, tuple[Callable[..., int], tuple[Callable[..., Any], ...]]] = {
    "score": (scoring.score, (kammerton.score,)),
    "compare": (scoring.compare, (kammerton.compare, kammerton.score)),
    "agree": (scoring.agree, (kammerton.agree,)),
    "show": (pages.show, (kammerton.show,)),
    "check": (files.check, (kammerton.check,)),
    "convert": (files.convert, (kammerton.convert,)),
    "pack": (files.pack, (kammerton.pack,)),
    "fuse": (systems.fuse, (kammerton.fuse,)),
    "annotate": (systems.annotate, (kammerton.annotate,)),
    "report": (pages.report, (kammerton.report,)),
    "diff": (pages.diff, (kammerton.diff,)),
}

PYTHON_ONLY = {
    "options",
    "annotators",
    "runs",
    "resume",
    "store",
    "progress",
    "weights",
    "settings",
    "command",
    "labels",
}
"""Objects, and what the command line knows: reading options, positional arguments, --out stand for them."""

SPELLED = {"--protocol", "--measure", "--cluster"}
"""Options that are repeated, and called in the singular."""


def signature_of(verb: str) -> inspect.Signature:
    function, calls = VERBS[verb]
    tasked = verb not in ("report", "diff")
    return inspect.signature(with_options(function, calls, find_task("chords") if tasked else None))


def keywords(verb: str) -> dict[str, inspect.Parameter]:
    """Keywords of the Python calls of a verb, the first one's where several have one name."""
    parameters = [
        item for call in reversed(VERBS[verb][1]) for item in inspect.signature(call).parameters.items()
    ]
    return {name: parameter for name, parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY}


@pytest.mark.parametrize("verb", VERBS)
def test_every_keyword_is_an_option_with_its_default(verb: str) -> None:
    options = signature_of(verb).parameters
    for name, keyword in keywords(verb).items():
        if name in PYTHON_ONLY:
            assert name not in options
        elif name == "annotator" and verb != "convert":  # one option chooses one and adds others
            assert options[name].default is None
        else:
            assert options[name].default == keyword.default


@pytest.mark.parametrize("verb", VERBS)
def test_types_are_those_of_the_annotations(verb: str) -> None:
    named = {"Method": Method, "Test": Test, "Missing": Literal["worst", "skip", "error"]}
    if verb == "fuse":
        named = {name: getattr(fused, name) for name in ("Method", "Details", "Scope", "Counting")}
    kinds = {"bool": bool, "int": int, "float": float, "str": str}
    options = signature_of(verb).parameters
    for name, keyword in keywords(verb).items():
        if name in PYTHON_ONLY or name == "annotator":
            continue
        plain = keyword.annotation.removesuffix(" | None")
        hint = typing.get_args(options[name].annotation)[0]
        repeated = "Iterable[str]" in plain or name == "severity"
        expected = named.get(plain) or kinds.get(plain) or (list[str] if repeated else str)
        assert hint == (expected | None if keyword.default is None else expected), name


@pytest.mark.parametrize(
    ("verb", "own"),
    [
        (
            "score",
            (
                "no_ci no_reference every table form output width per_item out no_annotations safe_csv cite "
                "fail_under fail_below tolerance quiet show digits details intervals tests value_only"
            ),
        ),
        ("compare", "no_reference every form output width quiet show digits details intervals tests"),
        ("agree", "every form output width per_item out quiet show digits details"),
        ("show", "worst items start end every explain setting width quiet"),
        ("check", "form strict severity config isolated unknown_labels statistics quiet"),
        ("convert", "quiet"),
        ("pack", "quiet"),
        ("fuse", "out weight leave_one_out reference seed form quiet"),
        ("annotate", "system out setting quiet"),
        ("report", "output quiet"),
        ("diff", "form quiet"),
    ],
)
def test_a_verb_adds_what_is_of_the_command_line_alone(verb: str, own: str) -> None:
    declared = inspect.signature(with_options(VERBS[verb][0], (), None)).parameters.values()
    names = {parameter.name for parameter in declared if parameter.kind is parameter.KEYWORD_ONLY}
    assert names - {"annotator"} == set(own.split())


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_has_a_help_of_one_line_or_more(terminal: Terminal, verb: str) -> None:
    words = (verb,) if verb in ("report", "diff") else (verb, "chords")
    page = terminal.run(*words, "--help-all").out
    for parameter in signature_of(verb).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.name not in keywords(verb):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.name != "annotator":
            about = typing.get_args(parameter.annotation)[1]
            assert about.help
            assert about.help.endswith(".")
            assert ":" + "func" not in about.help
            assert " ".join(about.help.split()[:3]) in " ".join(page.split())


def call(*, samples: int = 3, kind: Literal["a", "b"] = "a", ci: float | None = 0.5) -> None:
    """Do nothing.

    Parameters
    ----------
    samples : int
        Not an option: it has no place on the command line.
    ci : float, optional
        Level, as ``LEVEL``, of ``seed`` or ``ci``. In Python, None.
    kind : {"a", "b"}
        One of two.
    """


def test_a_keyword_becomes_an_option() -> None:
    def verb(**choices: Any) -> int:
        return len(choices)

    command = with_options(verb, [call], None)
    (level,) = inspect.signature(command).parameters.values()
    hint, about = typing.get_args(level.annotation)
    assert (level.name, level.default, hint) == ("ci", 0.5, float)
    assert (about.help, about.name, about.metavar) == ("Level, as `LEVEL`, of `seed` or --ci.", (), "LEVEL")
    assert command(ci=0.25) == 1


def test_an_option_that_a_verb_declares_is_its_own() -> None:
    def verb(*, ci: Annotated[int, "own"] = 7, **choices: Any) -> int:
        return ci + len(choices)

    command = with_options(verb, [call], None)
    assert inspect.signature(command).parameters["ci"].default == 7
    assert command() == 7


@pytest.mark.parametrize("words", ["bootstrap", "confidence interval", "significant", "baseline"])
def test_the_words_of_the_field_are_found(terminal: Terminal, words: str) -> None:
    page = " ".join(terminal.run("compare", "chords", "--help-all").out.split()).lower()
    assert words in page


def test_agreement_and_resuming_are_called_so(terminal: Terminal) -> None:
    assert "inter-annotator agreement" in terminal.run("--help").out
    assert "is resumed" in " ".join(terminal.run("score", "chords", "--help-all").out.split())


def test_tasks_have_their_own_reading_options() -> None:
    pages_of = {
        task: inspect.signature(with_options(scoring.score, (), find_task(task))).parameters for task in TASKS
    }
    assert "taxonomy" in pages_of["instruments"]
    assert "taxonomy" not in pages_of["chords"]
