# SPDX-License-Identifier: MIT
"""Reports of scores, and of runs."""

import builtins
import json
import re
from pathlib import Path
from typing import Any

import pytest

import kammerton as kt

REFERENCE = {
    "one": ([(0, 2), (2, 4)], ["C", "G:7"]),
    "two": ([(0, 3), (3, 6)], ["A:min", "F"]),
}
GOOD = {
    "one": ([(0, 3), (3, 4)], ["C", "G"]),
    "two": ([(0, 3), (3, 6)], ["A:min", "F"]),
}
POOR = {
    "one": ([(0, 4)], ["D"]),
    "two": ([(0, 6)], ["A:min"]),
}


def scored(**systems: Any) -> kt.Scores:
    return kt.score("chords", REFERENCE, systems, protocols=["mirex2013"])


def test_a_run_gives_the_page_of_its_scores(tmp_path: Path) -> None:
    scores = scored(good=GOOD, poor=POOR)
    kt.write_run(scores, tmp_path / "run")
    kt.report(scores, tmp_path / "a.html")
    kt.report(tmp_path / "run", tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert '<section id="c1-item"' in (tmp_path / "b.html").read_text("utf-8")


def test_a_run_without_annotations_says_how_to_get_them(tmp_path: Path) -> None:
    scores = scored(good=GOOD, poor=POOR)
    for name, annotations in (("without", False), ("with", True)):
        kt.write_run(scores, tmp_path / name, annotations=annotations)
        kt.report(tmp_path / name, tmp_path / f"{name}.html")
    without, whole = ((tmp_path / f"{name}.html").read_text("utf-8") for name in ("without", "with"))
    told = "The reason is unknown: the run has no annotations, from which items are laid out."
    assert told in without
    assert told not in whole
    assert '<section id="c1-item"' not in without


def test_items_are_laid_out_by_what_was_scored(tmp_path: Path) -> None:
    kt.report(scored(good=GOOD, poor=POOR), tmp_path / "a.html")
    data = data_of(tmp_path / "a.html")
    texts = data["texts"]
    # all of POOR is wrong in item one, number 0
    assert data["order"] == [0, 1]
    reference, good, poor = data["items"]["0"]["tracks"]
    assert [texts[track["name"]] for track in (reference, good, poor)] == ["reference", "good", "poor"]
    assert [texts[label] for label in reference["labels"]] == ["C", "G:7"]
    chosen = data["items"]["0"]["chosen"]
    assert texts[data["items"]["0"]["measures"][chosen]] == "mirex2013/MajMin"
    # wrong root from 2 to 3 by GOOD, from 0 to 4 by POOR; measures of sevenths turn once more, at 3
    assert good["marks"][0] == [0, 2000, 1000, 1000]
    assert [texts[said][chosen] for said in good["marks"][1]] == ["0", "4", "0", "0"]
    assert [texts[said][chosen] for said in poor["marks"][1]] == ["4", "0"]


def test_the_worst_item_is_told_with_what_cost_it_most(tmp_path: Path) -> None:
    kt.report(scored(good=GOOD, poor=POOR), tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text("utf-8")
    # GOOD is better; it has C for G from 2 to 3 of item one, and two is right
    assert "1.000 s wrong of 4.000 s scored by mirex2013/MajMin; all of it G:7 taken for C." in page


def test_items_are_laid_out_by_another_measure_where_the_main_one_does_not_judge(tmp_path: Path) -> None:
    scores = kt.score("chords", REFERENCE, {"good": GOOD}, measures=["mirex2013/MeanSeg"])
    kt.report(scores, tmp_path / "a.html")
    data = data_of(tmp_path / "a.html")
    item = data["items"]["0"]
    assert data["texts"][item["measures"][item["chosen"]]] == "mirex2013/MajMin"


def test_items_are_judged_by_the_annotator_who_was_asked_for(tmp_path: Path) -> None:
    scores = kt.score(
        "chords",
        REFERENCE,
        {"good": GOOD},
        annotators={"second": POOR},
        annotator="second",
        protocols=["mirex2013"],
    )
    kt.report(scores, tmp_path / "a.html")
    data = data_of(tmp_path / "a.html")
    tracks = [(track["role"], data["texts"][track["name"]]) for track in data["items"]["0"]["tracks"]]
    assert tracks == [("reference", "second"), ("other", "reference"), ("system", "good")]


def test_the_worst_item_is_explained_against_the_annotator_who_agrees_least(tmp_path: Path) -> None:
    scores = kt.score(
        "chords", GOOD, {"good": GOOD}, annotators={"second": REFERENCE}, protocols=["mirex2013"]
    )
    kt.report(scores, tmp_path / "a.html")
    # the first annotator is right all the time, the second has G:7 for one of four seconds of item one
    told = "1.000 s wrong of 4.000 s scored by mirex2013/MajMin, against second; "
    assert f"{told}all of it G:7 taken for C." in (tmp_path / "a.html").read_text("utf-8")


def test_an_item_is_looked_at_against_the_annotator_of_whom_the_answer_speaks(tmp_path: Path) -> None:
    scores = kt.score(
        "chords", GOOD, {"good": GOOD}, annotators={"second": REFERENCE}, protocols=["mirex2013"]
    )
    kt.report(scores, tmp_path / "a.html")
    data = data_of(tmp_path / "a.html")
    texts, one = data["texts"], data["items"]["0"]
    titles = [texts[table["title"]] for table in one["tables"]]
    assert titles[0] == "good: 1.000 s wrong of 4.000 s scored by mirex2013/MajMin, against second"
    assert "scores, per cent, against second" in titles
    assert [texts[track["name"]] for track in one["tracks"]] == ["second", "reference", "good"]
    # good is right by both annotators of item two: the first one judges
    assert texts[data["items"]["1"]["tracks"][0]["name"]] == "reference"
    page = (tmp_path / "a.html").read_text("utf-8")
    assert "against the annotator against whom <bdi>good</bdi> scored worst on it" in page


def test_fingers_are_looked_at_against_the_annotator_who_agrees_least(tmp_path: Path) -> None:
    for name, finger in (("refs/a-1", 1), ("refs/a-2", 2), ("mine/a-1", 1)):
        path = tmp_path / f"{name}_fingering.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"0\t0.0\t0.5\tC4\t64\t64\t0\t{finger}\n", "utf-8")
    kt.report(
        kt.score("fingering", tmp_path / "refs", tmp_path / "mine", protocols="all"), tmp_path / "a.html"
    )
    # M_gen, which heads the page, is against all at once; the note is that of annotator 1 and not of 2
    told = "1 of 1 note wrong by strike/accuracy, against annotator 2; "
    page = (tmp_path / "a.html").read_text("utf-8")
    assert f"{told}all of it R2 taken for R1." in page
    data = data_of(tmp_path / "a.html")
    titles = [data["texts"][table["title"]] for table in data["items"]["0"]["tables"]]
    assert titles[0] == "mine: 1 of 1 note wrong by strike/accuracy, against 2"


def test_items_whose_references_failed_are_not_laid_out(tmp_path: Path) -> None:
    broken = tmp_path / "two.lab"
    broken.write_text("0 x C\n")
    scores = kt.score("chords", REFERENCE | {"two": broken}, {"good": GOOD}, protocols=["mirex2013"])
    kt.report(scores, tmp_path / "a.html")
    assert list(data_of(tmp_path / "a.html")["items"]) == ["0"]


def data_of(page: Path) -> Any:
    """Return the data of the section in which items are looked at."""
    found = re.search(r'id="c1-item-data">(.*?)</script>', page.read_text("utf-8"))
    assert found is not None
    return json.loads(found[1])


def test_a_report_needs_a_run(tmp_path: Path) -> None:
    with pytest.raises(kt.OptionError, match="a report needs a run"):
        kt.report([], tmp_path / "a.html")
    with pytest.raises(kt.OptionError, match="runs must be scores"):
        kt.report(7, tmp_path / "a.html")  # type: ignore[arg-type]


def test_what_is_done_next_is_told(tmp_path: Path) -> None:
    lists = {"a": ["piano"], "b": ["violin"]}
    other = kt.score("instruments", lists, {"mine": lists}, ci=None, protocols="all")
    told: list[str] = []
    kt.report(
        [scored(good=GOOD, poor=POOR), other],
        tmp_path / "page.html",
        figures=tmp_path / "figures",
        progress=told.append,
    )
    assert told == [
        "reading runs",
        "Chords: comparing systems",
        "Chords: drawing figures and items",
        "Instruments: comparing systems",
        "Instruments: drawing figures and items",
        "writing figures",
    ]


@pytest.mark.parametrize(
    ("date", "epoch", "told"),
    [
        ("2026-11-28", None, "2026-11-28"),
        ("2026-11-28", "86400", "2026-11-28"),
        (None, "86400", "1970-01-02"),
    ],
)
def test_a_page_says_when_and_of_what_it_was_made(
    date: str | None, epoch: str | None, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if epoch is not None:
        monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    scores = scored(good=GOOD, poor=POOR)
    for name in "ab":
        kt.report(scores, tmp_path / f"{name}.html", description="First <try>.\nOf two.", date=date)
    page = (tmp_path / "a.html").read_text("utf-8")
    assert page == (tmp_path / "b.html").read_text("utf-8")
    assert f'<time datetime="{told}">{told}</time>' in page
    assert "<h1>Evaluation of 2 systems</h1>" in page
    assert '<p class="lead">First &lt;try&gt;.</p>\n<p class="lead">Of two.</p>' in page
    assert "<dt>Chords: systems</dt><dd>good, poor</dd>" in page
    assert "<dt>Versions</dt><dd>kammerton " in page


@pytest.mark.parametrize(
    ("date", "epoch", "message"),
    [
        ("28 Nov", None, "date must be YYYY-MM-DD, got `28 Nov`"),
        (None, "now", "SOURCE_DATE_EPOCH is no time: `now`"),
    ],
)
def test_what_is_no_date_is_refused(
    date: str | None, epoch: str | None, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if epoch is not None:
        monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    with pytest.raises(kt.OptionError, match=message):
        kt.report(scored(good=GOOD), tmp_path / "a.html", date=date)


def test_a_title_is_cut(tmp_path: Path) -> None:
    kt.report(scored(good=GOOD), tmp_path / "a.html", title="x" * 1_000_000)
    page = (tmp_path / "a.html").read_text("utf-8")
    assert len(page) < 500_000
    assert "x" * 150 in page


def test_a_folder_stays_a_folder(tmp_path: Path) -> None:
    with pytest.raises(kt.OutputError, match="KT501"):
        kt.report(scored(good=GOOD), tmp_path)


@pytest.mark.parametrize("missing", ["altair", "vl_convert"])
def test_what_is_not_installed_is_named(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:
        if name == missing:
            raise ImportError(name)
        return imported(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(kt.OptionError, match=r"pip install 'kammerton\[report\]'"):
        kt.report(scored(good=GOOD), tmp_path / "a.html", figures=tmp_path / "figures")
    kt.report(scored(good=GOOD), tmp_path / "a.html")


def test_items_have_the_room_that_the_rest_of_a_chapter_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = scored(good=GOOD, poor=POOR)
    kt.report(scores, tmp_path / "a.html")
    assert "All 2 items can be looked at." in (tmp_path / "a.html").read_text("utf-8")
    monkeypatch.setattr("kammerton.reporting.html.chapters._CHAPTER", 2_000)
    monkeypatch.setattr("kammerton.reporting.html.chapters._LEAST", 1)
    kt.report(scores, tmp_path / "b.html")
    # the worst is there however little room there is
    assert "1 of 2 items can be looked at" in (tmp_path / "b.html").read_text("utf-8")


def test_a_page_names_the_only_annotator_of_an_item_as_those_of_the_others(tmp_path: Path) -> None:
    for name, finger in (("refs/a-1", 1), ("refs/a-2", 1), ("refs/b-2", 3), ("mine/a", 1), ("mine/b", 2)):
        path = tmp_path / f"{name}_fingering.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"0\t0.0\t0.5\tC4\t64\t64\t0\t{finger}\n", "utf-8")
    scores = kt.score("fingering", str(tmp_path / "refs"), str(tmp_path / "mine"), protocols="all")
    kt.report(scores, tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text("utf-8")
    told = "1 of 1 note wrong by strike/accuracy, against annotator 2; all of it R3 taken for R2."
    assert told in page
    data = data_of(tmp_path / "a.html")
    assert data["texts"][data["items"]["1"]["tracks"][0]["name"]] == "2"


def test_items_are_laid_out_though_no_figure_is_against_one_annotator(tmp_path: Path) -> None:
    for name, finger in (("refs/a-1", 1), ("refs/a-2", 2), ("mine/a", 1)):
        path = tmp_path / f"{name}_fingering.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"0\t0.0\t0.5\tC4\t64\t64\t0\t{finger}\n", "utf-8")
    folders = str(tmp_path / "refs"), str(tmp_path / "mine")
    scores = kt.score("fingering", *folders, protocols=["nakamura2020"])
    assert scores.annotators == ("all",)
    kt.report(scores, tmp_path / "a.html")
    data = data_of(tmp_path / "a.html")
    names = [data["texts"][voice["name"]] for voice in data["items"]["0"]["roll"]["voices"]]
    assert names == ["1", "2", "mine"]


def test_instruments_that_were_missed_or_are_spurious_are_told_of_the_worst_item(tmp_path: Path) -> None:
    references = {"a": ["violin"], "b": ["violin", "cello"]}
    said = ["organ", "piano", "drums", "flute", "banjo", "guitar", "voice", "bass"]
    scores = kt.score(
        "instruments",
        references,
        {"est": {"a": ["violin"], "b": said}},
        protocols=["open-mic-task1"],
        ci=None,
    )
    kt.report(scores, tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text("utf-8")
    # eight are spurious, of which six are named, in the order of the list
    told = "Missed violin, cello; spurious organ, piano, drums, flute, banjo, guitar and 2 more."
    assert told in page
    kt.report(
        kt.score("instruments", references, {"est": references}, protocols=["open-mic-task1"], ci=None),
        tmp_path / "b.html",
    )
    assert "Missed " not in (tmp_path / "b.html").read_text("utf-8")
