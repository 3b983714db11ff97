# SPDX-License-Identifier: MIT
"""Tasks of third parties: a plug-in of one file has every verb that it brings what is needed for."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import mir_eval.key
import pytest

import kammerton as kt
from cli.harness import Terminal
from kammerton.cli.options import with_options
from kammerton.model.registry import find_task, known_tasks
from kammerton.testing import check_task, find_faults
from plugins import song_keys

PLUGINS = Path(song_keys.__file__).parent
KEYS = {"one": "C major", "two": "F# minor", "three": "Eb major", "four": "A minor"}
GUESSES = {"one": "G major", "two": "F# minor", "three": "C minor", "four": "B minor"}
SCORES = {"one": 0.5, "two": 1.0, "three": 0.3, "four": 0.0}
"""A fifth above, the same, the relative minor, another key: by the table of MIREX."""


def keys_of(texts: dict[str, str]) -> dict[str, Any]:
    """Return the annotation of each text."""
    options = song_keys.KeyOptions()
    return {name: song_keys.parse(text, name, options).annotations[0][1] for name, text in texts.items()}


def installed(folder: Path, name: str, entries: str) -> None:
    """Lay out what pip writes for a package that declares tasks."""
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    info.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    info.joinpath("entry_points.txt").write_text(f"[kammerton.tasks]\n{entries}\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages, for this process and those it starts."""
    folder = tmp_path / "site"
    folder.mkdir()
    paths = [str(folder), str(PLUGINS), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    monkeypatch.syspath_prepend(str(PLUGINS))
    monkeypatch.syspath_prepend(str(folder))
    return folder


@pytest.fixture
def songs(site: Path, terminal: Terminal) -> Terminal:
    installed(site, "song-keys", "keys = song_keys:TASK")
    for side, keys in (("ref", KEYS), ("est", GUESSES)):
        terminal.write(**{side: {f"{name}.key": key for name, key in keys.items()}})
    return terminal


def test_the_scores_are_those_of_mirex() -> None:
    for name, score in SCORES.items():
        assert mir_eval.key.weighted_score(KEYS[name], GUESSES[name]) == score
    scores = kt.score(song_keys.TASK, keys_of(KEYS), {"mine": keys_of(GUESSES)})
    assert scores.value("Weighted") == pytest.approx((0.5 + 1 + 0.3 + 0) / 4, abs=1e-15)
    assert scores.value("Accuracy") == 0.25


def test_a_plug_in_has_the_verbs(songs: Terminal) -> None:
    scored = songs.run("score", "keys", "ref", "est", "--format", "json", "--out", "run", "--jobs", "2")
    assert scored.code == 0, scored.err
    values = {row["measure"]: row["value"] for row in scored.document["scores"]}
    assert values == {"Weighted": pytest.approx(0.45, abs=1e-15), "Accuracy": 0.25}
    assert songs.run("compare", "keys", "ref", "est", "best=ref").code == 0
    assert songs.run("agree", "keys", "ref", "est").code == 0
    assert songs.run("check", "keys", "ref").code == 0
    assert "mirex_key/Weighted" in songs.run("measures", "keys").out
    assert songs.run("report", "run", "-o", "page.html").code == 0
    assert "Weighted" in (songs.folder / "page.html").read_text("utf-8")
    assert kt.read_run(songs.folder / "run").value("Accuracy") == 0.25


def test_options_of_a_plug_in_are_options_of_its_commands(songs: Terminal) -> None:
    songs.write(ref={"five.key": "B major"}, est={"five.key": "Bb major"})
    assert "KEY102" not in songs.run("score", "keys", "ref/five.key", "est/five.key", "--german").err
    german = songs.run("score", "keys", "ref/five.key", "est/one.key", "--german", "--format", "json")
    assert german.document["scores"][0]["value"] == 0.0  # B flat major, G major
    assert "--german" in songs.run("score", "keys", "--help").out


def test_bad_files_of_a_plug_in_are_diagnostics(songs: Terminal) -> None:
    songs.write(est={"two.key": "Fis moll"})
    result = songs.run("score", "keys", "ref", "est")
    assert result.code == 1
    assert "error[KEY102] est/two.key:1:1: not a key: `Fis moll`" in result.err
    assert songs.run("check", "keys", "est").code == 1


def test_help_lists_the_task_with_its_package(songs: Terminal) -> None:
    page = songs.run("score", "--help").out
    assert "keys" in page
    assert "song-keys 1.0" in page
    assert "keys" in songs.run("score").err
    unknown = songs.run("score", "kyes", "ref", "est")
    assert unknown.code == 2
    assert "did you mean `keys`?" in unknown.err


def test_verbs_that_a_task_does_not_bring_say_so(songs: Terminal) -> None:
    for arguments in (("convert", "keys", "ref", "out"), ("show", "keys", "ref", "est", "one"),
                      ("pack", "keys", "ref", "out.parquet")):  # fmt: skip
        result = songs.run(*arguments)
        assert result.code == 2
        assert "of keys cannot be" in result.err


def test_a_pool_of_processes_scores_a_record() -> None:
    scores = kt.score(song_keys.TASK, keys_of(KEYS), {"mine": keys_of(GUESSES)}, jobs=2)
    assert scores.value("Weighted") == pytest.approx(0.45, abs=1e-15)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ("keys = song_keyz:TASK", "cannot be imported: ModuleNotFoundError"),
        ("keys = song_keys:PROTOCOL", "is of the type Protocol, not Task"),
        ("key = song_keys:TASK", "calls itself `keys`"),
    ],
)
def test_a_broken_plug_in_is_a_message(entries: str, message: str, site: Path, terminal: Terminal) -> None:
    installed(site, "song-keys", entries)
    result = terminal.run("score", entries.partition(" ")[0], "ref", "est")
    assert result.code == 2
    assert message in result.err
    assert "song-keys 1.0" in result.err
    assert terminal.run("demo", "--help").code == 0


BROKEN = """
from dataclasses import replace
import song_keys

def read(path, name, options):
    if "broken" in path.read_text():
        raise ZeroDivisionError("a bug")
    return song_keys.read(path, name, options)

def evaluate(cases, measures, options):
    if any(case.estimate.mode == "minor" for case in cases):
        raise KeyError
    return song_keys.evaluate(cases, measures, options)

TASK = replace(song_keys.TASK, read=read, evaluate=evaluate)
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("broken", "failed: `read` of `est/two.key`: ZeroDivisionError: a bug"),
        ("F# minor", "failed: `evaluate` of `two`: KeyError"),
    ],
)
def test_an_exception_of_a_plug_in_names_its_package_and_the_item(
    text: str, message: str, site: Path, songs: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    (site / "song_keys-1.0.dist-info" / "entry_points.txt").write_text(
        "[kammerton.tasks]\nkeys = broken_keys:TASK\n"
    )
    (site / "broken_keys.py").write_text(BROKEN)
    songs.write(est={f"{name}.key": text if name == "two" else "C major" for name in KEYS})
    monkeypatch.setattr("tempfile.tempdir", str(songs.folder))  # of crash reports
    result = songs.run("score", "keys", "ref", "est")
    (report,) = songs.folder.glob("kammerton-crash-*.txt")
    task = "error: the task `keys` of the package song-keys 1.0 (broken_keys:TASK)"
    assert (result.code, result.err) == (4, f"{task} {message}; a crash report is in {report}\n")
    assert "broken_keys.py" in report.read_text("utf-8")


def test_two_packages_with_one_task_are_refused(site: Path) -> None:
    installed(site, "song-keys", "keys = song_keys:TASK")
    installed(site, "more-keys", "keys = more_keys:TASK")
    with pytest.raises(
        kt.OptionError, match=r"song-keys 1.0 declares the task `keys`, as the package more-keys 1.0"
    ):
        find_task("keys")


def test_a_built_in_task_is_never_replaced(site: Path) -> None:
    installed(site, "other-chords", "chords = song_keys:TASK")
    assert find_task("chords") is kt.chords.TASK
    assert known_tasks()["chords"] == (
        "Chord symbols over time (built in; the task of this name from the package other-chords 1.0 "
        "is not used)"
    )
    with pytest.raises(kt.OptionError, match="the task `chords` is built in, and another record"):
        kt.score(replace(song_keys.TASK, name="chords"), keys_of(KEYS), {"mine": keys_of(GUESSES)})


def test_help_lists_tasks_that_clash(site: Path, terminal: Terminal) -> None:
    installed(site, "other-chords", "chords = song_keys:TASK")
    installed(site, "song-keys", "keys = song_keys:TASK")
    installed(site, "more-keys", "keys = more_keys:TASK")
    page = terminal.run("score", "--help")
    assert page.code == 0
    assert "the task of this name from the package other-chords 1.0" in " ".join(page.out.split())
    assert "more-keys 1.0 and song-keys 1.0; it cannot be used" in " ".join(page.out.split())
    assert terminal.run("score", "kyes", "ref", "est").code == 2


def test_a_task_is_a_name_or_a_record() -> None:
    with pytest.raises(kt.OptionError, match="task must be a name or a Task"):
        kt.score(7, KEYS, GUESSES)  # type: ignore[arg-type]


def test_the_plug_in_conforms() -> None:
    check_task(song_keys.TASK, samples=[*keys_of(KEYS).values()])


def test_the_kit_finds_a_task_that_workers_cannot_get() -> None:
    faults = find_faults(replace(song_keys.TASK, extent=lambda _: 1.0), samples=[*keys_of(KEYS).values()])
    assert any("workers cannot get the task" in fault for fault in faults)


def test_a_broken_plug_in_leaves_the_measures_of_other_tasks(site: Path, terminal: Terminal) -> None:
    installed(site, "song-keys", "keys = song_keyz:TASK")
    result = terminal.run("measures", "MeanSeg")
    assert result.code == 0
    assert "mirex2013/MeanSeg" in result.out
    assert "warning: the task `keys` of the package song-keys 1.0" in result.err
    assert terminal.run("measures", "keys").code == 2


def test_an_option_that_the_command_has_too_is_refused() -> None:
    @dataclass(frozen=True)
    class Options:
        """Options.

        Parameters
        ----------
        missing : bool
            Described.
        """

        missing: bool = False

    def verb(task: object, /, references: str, **options: object) -> int:
        raise AssertionError

    with pytest.raises(kt.OptionError, match="the task `keys` has the options `missing`, which"):
        with_options(verb, [kt.score], replace(song_keys.TASK, options=Options))
