# SPDX-License-Identifier: MIT
"""README and docs say what is true: their Python runs, their commands print what stands there.

The blocks of a page run in order, in a copy of the bundled chords, or of the fingerings for the pages that
are about them; Python blocks share a namespace. A block with a name is a file. ``KAMMERTON_RECORD=1`` writes
what commands print now into the files; read the difference.
"""

import doctest
import io
import os
import re
import runpy
import shlex
import shutil
import sys
from collections.abc import Iterator
from importlib import import_module
from inspect import isclass, isfunction
from pathlib import Path
from typing import Any

import pytest

import kammerton
from kammerton import chords, fingering, instruments, systems, tasks
from kammerton.cli import main
from kammerton.cli.demo import EXAMPLE
from kammerton.cli.program import VERBS
from kammerton.model.registry import TASKS, find_task
from kammerton.systems.practice import write_practice

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]

SLOW = {"decibel.md", "python.md"}
"""Pages that take long: they make songs and listen to them, or train a model."""
OTHER_PACKAGES = {"migration.md": ("mir_eval", "sklearn"), "python.md": ("keras", "pandas", "sklearn")}
"""Pages whose blocks run other packages too."""
ELSEWHERE = "plot_decibel_end_to_end.py"
"""An example that a test of its own runs, which looks at what it finds."""
BLOCK = re.compile(r"^```(?P<kind>\w+)(?P<name>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(
    r"^\$ (?P<command>kammerton .*(?:(?<=\\)\n.*)*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE
)
LINK = re.compile(r"\]\((?!https?:)(?P<path>[^)#]*)(?:#(?P<anchor>[^)]*))?\)")


@pytest.fixture(autouse=True)
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for task in ("chords", "fingering", "instruments"):
        shutil.copytree(EXAMPLE / task, tmp_path / task)
    monkeypatch.chdir(tmp_path / "chords")
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.slow] * (page.name in SLOW), id=page.name) for page in PAGES],
)
def test_a_page_is_true(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page.name.startswith("fingering"):
        monkeypatch.chdir("../fingering")
        write_practice(Path("practice"))
    monkeypatch.setenv("KERAS_BACKEND", "jax")
    for package in OTHER_PACKAGES.get(page.name, ()):
        pytest.importorskip(package)
    written = page.read_text(encoding="utf-8")
    namespace: dict[str, Any] = {}
    found = BLOCK.sub(lambda block: run(block, namespace, monkeypatch), written)
    if os.environ.get("KAMMERTON_RECORD"):
        page.write_text(found, encoding="utf-8")
    else:
        assert found == written


def test_every_measure_code_and_command_has_a_page_of_the_reference(tmp_path: Path) -> None:
    runpy.run_path(str(ROOT / "docs" / "reference_pages.py"))["write_reference"](tmp_path)
    names = {path.name.removesuffix(".md") for path in tmp_path.rglob("*.md")}
    assert {
        f"{task}-{measure}".replace("/", "-") for task in TASKS for measure in find_task(task).measures
    } < names
    assert {path.stem for path in (ROOT / "src/kammerton/explanations").iterdir()} < names
    assert {*VERBS} < names


@pytest.mark.parametrize(
    "path",
    sorted(set((ROOT / "examples").glob("plot_*.py")) - {ROOT / "examples" / ELSEWHERE}),
    ids=lambda path: path.name,
)
@pytest.mark.filterwarnings("ignore:.*is non-interactive")
def test_an_example_of_the_gallery_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib", reason="the gallery draws with matplotlib")
    monkeypatch.setenv("MPLBACKEND", "agg")
    runpy.run_path(str(path), run_name="__main__")


def run(block: re.Match[str], namespace: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a block and return it as it should be."""
    kind, name, text = block.group("kind", "name", "text")
    if kind == "python":
        run_python(text, namespace)
    elif name.strip():
        Path(name.strip()).write_text(text, encoding="utf-8")
    elif kind == "console":
        outputs = COMMAND.sub(lambda each: with_output(each, monkeypatch), text)
        return f"```{kind}{name}\n{outputs}```"
    return block.group()


def run_python(text: str, namespace: dict[str, Any]) -> None:
    if ">>> " not in text:
        exec(text, namespace)
        return
    test = doctest.DocTestParser().get_doctest(text, namespace, "block", None, 0)
    told: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    failed, _ = runner.run(test, out=told.append, clear_globs=False)
    assert not failed, "".join(told)
    namespace.update(test.globs)


def with_output(command: re.Match[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a command with everything that it prints, as a terminal would show it."""
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", terminal)
        patched.setattr(sys, "stderr", terminal)
        code = main(shlex.split(command["command"])[1:])
    assert code in (0, 1, 6), terminal.buffer.getvalue().decode()
    return f"$ {command['command']}\n{terminal.buffer.getvalue().decode()}"


def test_every_page_stands_in_the_contents_of_the_site() -> None:
    contents = re.findall(r"<([\w/]+)>$", (ROOT / "docs/index.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert {page.stem for page in (ROOT / "docs").glob("*.md")} - {"index"} == {
        name for name in contents if "/" not in name
    }


def test_every_public_name_has_a_page_of_the_reference() -> None:
    written = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    lists = re.findall(r"currentmodule:: (\S+)\n(.*?)```", written, re.DOTALL)
    listed = [
        getattr(import_module(module), name)
        for module, names in lists
        for name in re.findall(r"^   (\w+)$", names, re.MULTILINE)
    ]
    assert len(listed) == len(set(listed))
    for module in (kammerton, chords, fingering, instruments, systems, tasks):
        public = {name: getattr(module, name) for name in module.__all__ if name != "quote"}
        assert [
            name
            for name, value in public.items()
            if (isclass(value) or isfunction(value)) and value not in listed
        ] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.finditer(page.read_text(encoding="utf-8")):
        target = page.parent / link["path"] if link["path"] else page
        assert target.exists(), link["path"]
        if link["anchor"]:
            assert link["anchor"] in anchors(target), link.group()


def anchors(page: Path) -> Iterator[str]:
    """Give the anchors that GitHub makes of the headings of a page."""
    for heading in re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
