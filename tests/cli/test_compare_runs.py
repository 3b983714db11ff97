# SPDX-License-Identifier: MIT
"""``kammerton compare`` of runs: what it prints is what it prints of their folders, byte for byte."""

from pathlib import Path

import pytest

import kammerton as kt
from cli.harness import Terminal
from kammerton.cli.demo import EXAMPLE

TASKS = {
    "chords": ("reference", "careful", "hasty"),
    "fingering": ("reference", "careful", "hasty"),
    "instruments": ("reference.csv", "careful.csv", "hasty.csv"),
}
FORMATS = ("table", "json", "csv", "md", "latex")
FEW = ("--resamples", "50", "--permutations", "50")
MAJMIN = ("--measure", "mirex2013/MajMin,mirex2013/MeanSeg")


def score(terminal: Terminal, task: str, out: str, *arguments: str) -> None:
    terminal.run("score", task, *arguments, "--out", out, "--no-ci", "--quiet")
    assert Path(out, "run.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_folders_and_runs_print_the_same_bytes(
    terminal: Terminal, task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = terminal.folder
    monkeypatch.chdir(EXAMPLE / task)
    reference, *systems = TASKS[task]
    runs = [str(folder / f"run {number}") for number in range(2)]
    for run, system in zip(runs, systems, strict=True):
        score(terminal, task, run, reference, system)
    score(terminal, task, str(folder / "both"), reference, *systems)
    for form in FORMATS if task != "instruments" else ("table", "json"):  # classes take their time
        printed = [
            terminal.run("compare", task, *sources, "--format", form, *FEW)
            for sources in ((reference, *systems), runs, [str(folder / "both")])
        ]
        assert {each.code for each in printed} == {0}
        assert len(printed[0].out) > 500
        assert {each.out for each in printed} == {printed[0].out}


def test_what_was_noticed_comes_system_by_system_however_a_corpus_was_cut(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    songs = [f"{number:03}.lab" for number in range(201)]
    bad = {songs[0]: "0 4 H", songs[-1]: "0 4 Q"}
    terminal.write(
        ref=dict.fromkeys(songs, "0 4 C"),
        one=dict.fromkeys(songs, "0 4 C") | bad,
        two=dict.fromkeys(songs, "0 3 C|3 4 G") | bad,
    )
    for name in ("one", "two"):
        score(terminal, "chords", f"run_{name}", "ref", name)
    printed = [
        terminal.run("compare", "chords", *sources, "--format", "json", *MAJMIN, *FEW)
        for sources in (("ref", "one", "two", "--shard-size", "200"), ("run_one", "run_two"))
    ]
    (terminal.folder / "elsewhere").mkdir()
    monkeypatch.chdir(terminal.folder / "elsewhere")
    whole = (str(terminal.folder / name) for name in ("ref", "one", "two"))
    printed.append(terminal.run("compare", "chords", *whole, "--format", "json", *MAJMIN, *FEW))
    assert printed[0].out == printed[1].out == printed[2].out
    told = [each["system"] for each in printed[0].document["diagnostics"] if each["severity"] == "error"]
    assert told == ["one", "one", "two", "two"]


def test_missing_songs_and_bad_files_too(systems: Terminal) -> None:
    (systems.folder / "poor" / "a.lab").unlink()
    systems.write(good={"b.lab": "0 4 H"}, ref={"c.lab": "0 4 Q"})
    for name in ("poor", "good"):
        score(systems, "chords", f"run_{name}", "ref", name)
    for form in FORMATS:
        arguments = ("--format", form, *MAJMIN, *FEW)
        folders = systems.run("compare", "chords", "ref", "poor", "good", *arguments)
        runs = systems.run("compare", "chords", "run_poor", "run_good", *arguments)
        assert (folders.code, runs.code) == (1, 1)
        assert folders.out == runs.out


def test_several_annotators_and_one_of_them(systems: Terminal) -> None:
    systems.write(Ann=dict.fromkeys((f"{name}.lab" for name in "abcdef"), "0 1 C|1 4 G"))
    for name in ("poor", "good"):
        score(systems, "chords", f"run_{name}", "ref", name, "--annotator", "Ann=Ann")
    runs = ("compare", "chords", "run_poor", "run_good", "--measure", "mirex2013/MajMin", *FEW)
    folders = ("compare", "chords", "ref", "poor", "good", "--measure", "mirex2013/MajMin", *FEW)
    assert systems.run(*runs).out == systems.run(*folders, "--annotator", "Ann=Ann").out
    one = systems.run(*runs, "--annotator", "Ann")
    # against Ann: poor is right throughout, good in 1 of 4 s and 1 s more
    assert [line.split()[:3] for line in one.out.splitlines()[4:6]] == [
        ["poor", "100.0", "a"],
        ["good", "50.0", "b"],
    ]
    assert "\nAgainst Ann alone.\n" in one.out


def test_measures_of_all_annotators_are_not_of_one(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = terminal.folder
    monkeypatch.chdir(EXAMPLE / "fingering")
    arguments = ("reference", "careful", "hasty", "--annotator", "again=careful")
    score(terminal, "fingering", str(folder / "run"), *arguments)
    runs = ("compare", "fingering", str(folder / "run"), *FEW, "--format", "json")
    measures = {
        who: {each["measure"] for each in terminal.run(*runs, *chosen).document["measures"]}
        for who, chosen in (("all", ()), ("one", ("--annotator", "again")))
    }
    assert "M_high" in measures["all"]
    assert "M_high" not in measures["one"]
    assert "accuracy" in measures["one"]


def test_the_order_of_files_does_not_show(systems: Terminal) -> None:
    sources = ("ref", "good", "poor")
    sides = {
        tree: {path.name: path.read_text("utf-8") for path in (systems.folder / tree).iterdir()}
        for tree in sources
    }
    systems.write(
        **{f"backwards/{tree}": dict(sorted(files.items(), reverse=True)) for tree, files in sides.items()}
    )
    for form in FORMATS:
        arguments = ("--format", form, *MAJMIN, *FEW)
        printed = systems.run("compare", "chords", *sources, *arguments).out
        assert (
            printed == systems.run("compare", "chords", *(f"backwards/{s}" for s in sources), *arguments).out
        )


def test_the_order_of_items_does_not_show() -> None:
    def songs(part: int, names: str) -> dict[str, object]:
        return {name: ([(0, part), (part, 4.5)], ["C", "G"]) for name in names}

    found = [
        kt.compare(
            "chords", songs(4, names), {"x": songs(3, names), "y": songs(1, names)}, resamples=50
        ).to_dict()
        for names in ("abcdef", "fbdaec")
    ]
    assert found[0] == found[1]


def test_a_run_under_another_name(systems: Terminal) -> None:
    score(systems, "chords", "before", "ref", "model=poor")
    score(systems, "chords", "after", "ref", "model=good")
    assert "two systems are called `model`" in systems.run("compare", "chords", "before", "after").err
    result = systems.run("compare", "chords", "old=before", "new=after", "--measure", "mirex2013/MajMin")
    assert [line.split()[0] for line in result.out.splitlines()[4:6]] == ["new", "old"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("run", "poor"), 2, "runs are compared with runs, and `poor` is none"),
        (("run",), 2, "a comparison needs two systems"),
        (("run", "skipped"), 3, "KT709"),
        (("run", "other"), 3, "KT708"),
        (
            ("run", "second", "--missing", "skip"),
            2,
            "runs are scored already: `missing` is a choice of scoring",
        ),
        (("run", "second", "--lenient"), 2, "runs are scored already: `options` is a choice of scoring"),
        (("run", "second", "--annotator", "Ann=ref"), 2, "runs are scored already"),
        (("run", "second", "--annotator", "Ann"), 2, "unknown annotator `Ann`"),
        (("run", "second", "--pairs", "list.csv"), 2, "runs are scored already"),
        (("torn", "second"), 3, "KT702"),
    ],
)
def test_what_is_refused(systems: Terminal, arguments: tuple[str, ...], code: int, message: str) -> None:
    score(systems, "chords", "run", "ref", "poor")
    score(systems, "chords", "second", "ref", "good")
    score(systems, "chords", "skipped", "ref", "good", "--missing", "skip")
    score(systems, "chords", "other", "poor", "good")
    score(systems, "chords", "torn", "ref", "fair")
    (systems.folder / "torn" / "references.parquet").write_bytes(b"")
    result = systems.run("compare", "chords", *arguments)
    assert (result.code, result.out) == (code, "")
    assert message in result.err


def test_runs_of_another_task_and_both_at_once(systems: Terminal) -> None:
    score(systems, "chords", "run", "ref", "poor", "good")
    assert "runs are of another task: chords" in systems.run("compare", "fingering", "run").err
    with pytest.raises(kt.OptionError, match="runs stand in place of references and estimates"):
        kt.compare("chords", "ref", runs=["run"])
    with pytest.raises(TypeError, match="unexpected keyword"):
        kt.compare("chords", runs=["run"], nonsense=1)


def test_items_that_belong_together_are_noticed_whatever_is_read(terminal: Terminal) -> None:
    songs = [f"{album}/{song}.lab" for album in "xy" for song in "ab"]
    terminal.write(
        ref=dict.fromkeys(songs, "0 4 C"),
        good=dict.fromkeys(songs, "0 3 C|3 4 G"),
        poor=dict.fromkeys(songs, "0 1 C|1 4 G"),
    )
    for name in ("good", "poor"):
        terminal.run("score", "chords", "ref", name, "--out", f"run_{name}")
    for sources in (("ref", "good", "poor"), ("run_good", "run_poor")):
        told = terminal.run("compare", "chords", *sources, *FEW).err
        assert told.count("KT218") == 1
        assert "KT218" not in terminal.run("compare", "chords", *sources, *FEW, "--cluster", "^(.*)/").err


def test_runs_are_compared_by_the_clusters_that_all_have(terminal: Terminal) -> None:
    songs = [f"{album}/{song}.lab" for album in "uvwxyz" for song in "ab"]
    terminal.write(
        ref=dict.fromkeys(songs, "0 4 C"),
        good=dict.fromkeys(songs, "0 3 C|3 4 G"),
        poor=dict.fromkeys(songs, "0 1 C|1 4 G"),
    )
    albums = ("--cluster", "^(.*)/")
    for out, *arguments in (
        ("both", "good", "poor", *albums),
        ("good_run", "good", *albums),
        ("poor_run", "poor", *albums),
        ("by_song", "poor"),
        ("by_name", "poor", "--cluster", "/(.)$"),
    ):
        assert terminal.run("score", "chords", "ref", *arguments, "--out", out).code == 0

    def compared(*arguments: str) -> tuple[float, bool, str]:
        result = terminal.run("compare", "chords", *arguments, "--format", "json", *MAJMIN)
        (pair,) = result.document["measures"][0]["pairs"]
        return pair["p"], "KT218" in result.err, result.out

    expected = compared("ref", "good", "poor", *albums)
    assert expected[:2] == (2 / 64, False)  # of the swaps of six albums
    assert compared("both") == expected
    assert compared("good_run", "poor_run") == expected
    for other in ("by_song", "by_name"):  # 12 songs have 4,096 swaps
        assert compared("good_run", other)[:2] == (2 / 4096, True)
    assert compared("both", "--cluster", "/(.)$")[:2] == (2 / 4, False)
