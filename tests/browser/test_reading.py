# SPDX-License-Identifier: MIT
"""Pages as they are read: sorted, searched, copied, looked into, by pointer and by keys."""

from __future__ import annotations

import re
import wave
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

import kammerton as kt
from browser.pages import demo
from browser.watching import Watched
from kammerton.model.views import ItemView

pytestmark = pytest.mark.slow


def rows(page: Page, part: str = "#c1-items") -> list[list[str]]:
    found = page.locator(f"{part} table.items tbody tr").all()
    return [[cell.inner_text().strip() for cell in row.locator("th, td").all()] for row in found]


def numbers(page: Page, column: int) -> list[float]:
    return [float(row[column]) for row in rows(page)]


def header(page: Page, text: str) -> Locator:
    return page.locator("#c1-items thead button", has_text=text)


def test_items_are_sorted_by_any_column(watch: Watched) -> None:
    page = watch.open("chords")
    # the worst of the best system first
    values = numbers(page, 1)
    assert values == sorted(values)
    assert len(values) == 4
    header(page, "hasty").click()
    assert numbers(page, 2) == sorted(numbers(page, 2))
    header(page, "hasty").click()
    assert numbers(page, 2) == sorted(numbers(page, 2), reverse=True)
    assert page.locator("#c1-items th[aria-sort=descending]").inner_text().startswith("hasty")
    header(page, "Item").click()
    names = [row[0] for row in rows(page)]
    assert names == sorted(names)


def test_items_are_searched_whatever_the_case(watch: Watched) -> None:
    page = watch.open("chords")
    page.get_by_label("Search").fill("GREEN")
    assert [row[0] for row in rows(page)] == ["Greensleeves"]
    assert page.locator("#c1-items .count").inner_text() == "1 of 4 items"
    page.get_by_label("Search").fill("no such song")
    assert rows(page) == []
    page.get_by_label("Search").fill("")
    assert len(rows(page)) == 4


def test_gains_of_items_are_counted(watch: Watched) -> None:
    page = watch.open("chords")  # careful is better than hasty on each of the four tunes
    caption = page.locator("#c1-items figure.gains figcaption")
    expect(caption).to_have_text("Gain of hasty over careful: better on 0, worse on 4, equal on 0 items.")
    page.locator("#c1-items select[name=first]").select_option(label="hasty")
    page.locator("#c1-items select[name=second]").select_option(label="careful")
    expect(caption).to_have_text("Gain of careful over hasty: better on 4, worse on 0, equal on 0 items.")
    page.locator("#c1-items select[name=second]").select_option(label="hasty")
    expect(caption).to_have_text("Gain of hasty over hasty: better on 0, worse on 0, equal on 4 items.")


def test_items_follow_the_measure(watch: Watched) -> None:
    page = watch.open("chords")
    before = rows(page)
    page.locator("#c1-items select[name=measure]").select_option(label="mirex2013/Root")
    assert rows(page) != before


def test_items_are_narrowed_by_a_rectangle(watch: Watched) -> None:
    page = watch.open("songs")
    chart = page.locator("#c1-items figure.scatter svg").first
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + box["height"] * 0.1)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + box["height"] * 0.6, steps=4)
    page.mouse.up()
    told = page.locator("#c1-items .count").inner_text()
    assert re.match(r"\d+ of 217 items", told)


def test_three_clicks_lead_from_the_corpus_to_the_bar_that_cost_the_points(watch: Watched) -> None:
    page = watch.open("chords")
    page.get_by_label("Contents").get_by_text("Items", exact=True).click()
    worst = rows(page)[0][0]
    page.locator("#c1-items tbody a").first.click()
    title = page.locator("#c1-item .view h4")
    expect(title).to_have_text(worst)
    expect(title).to_be_focused()
    page.get_by_role("button", name="Next wrong").click()
    judged = page.locator(".readout tbody tr td:last-child").all_inner_texts()
    assert any(text.startswith(("wrong", "chord or")) for text in judged)


def test_the_worst_item_is_a_click_away(watch: Watched) -> None:
    page = watch.open("chords")
    worst = rows(page)[0][0]
    page.locator("#c1-summary").get_by_text("Where it lost the points").click()
    expect(page.locator("#c1-item .view h4")).to_have_text(worst)


def readout(page: Page) -> list[list[str]]:
    found = page.locator("#c1-item .readout tr").all()
    return [[cell.inner_text().strip() for cell in row.locator("th, td").all()] for row in found]


def item_of(page: Page, name: str) -> Locator:
    """Look at the item of a name by the list of items."""
    select = page.locator("#c1-item-choice")
    option = select.locator("option", has_text=name)
    select.select_option(value=option.get_attribute("value"))
    expect(page.locator("#c1-item .view h4")).to_have_text(name)
    return page.locator("#c1-item .pane")


def test_a_timeline_is_read_with_the_keys(watch: Watched) -> None:
    page = watch.open("chords")
    pane = item_of(page, "Greensleeves")
    pane.focus()
    view = shown_chords("Greensleeves")
    # n goes from mistake to mistake: the first of them begins where a mark of a system does
    wrong = sorted({mark.start for track in view.tracks for mark in track.marks if mark.state == "wrong"})
    for start in wrong[:3]:
        page.keyboard.press("n")
        assert readout(page)[0][0] == f"At {int(start // 60)}:{start % 60:05.2f}"
        kinds = {
            track.name: mark.kind
            for track in view.tracks
            for mark in track.marks
            if mark.start <= start < mark.end and mark.state == "wrong"
        }
        told = {row[0]: row[4] for row in readout(page)[2:]}
        words = {"root": "wrong root", "quality": "wrong quality", "bass": "wrong bass"}
        for system, kind in kinds.items():
            assert told[system] == words.get(str(kind), "chord or no chord")
    # arrows go from change to change, here back to the beginning
    for _ in range(30):
        page.keyboard.press("ArrowLeft")
    head, reference, *systems = readout(page)
    assert head == ["At 0:00.00", "label", "from", "to", "judged"]
    assert reference[:2] == ["reference", view.tracks[0].spans[0].label]
    assert [row[0] for row in systems] == ["second", "careful", "hasty"]


def shown_chords(name: str) -> ItemView:
    folder = demo("chords")
    systems = {each: folder / each for each in ("careful", "hasty")}
    return kt.show("chords", folder / "reference", systems, name, annotators={"second": folder / "second"})


def test_a_timeline_is_zoomed(watch: Watched) -> None:
    page = watch.open("chords")
    pane = item_of(page, "Greensleeves")

    def width() -> int:
        return int(page.locator("#c1-item .pane svg").get_attribute("width") or 0)

    pane.focus()
    page.keyboard.press("0")
    whole = width()
    page.keyboard.press("+")
    assert width() == pytest.approx(1.6 * whole, abs=3)
    page.keyboard.press("-")
    assert width() == whole
    page.get_by_role("button", name="Zoom in").click()
    page.get_by_role("button", name="Zoom in").click()
    closer = width()
    pane.hover()
    page.keyboard.down("Control")
    page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    expect(page.locator("#c1-item .pane svg")).not_to_have_attribute("width", str(closer))
    assert width() == pytest.approx(1.25 * closer, abs=3)
    page.get_by_role("button", name="All").click()
    assert width() == whole


def test_an_item_opens_where_most_is_wrong_so_near_that_it_can_be_read(watch: Watched) -> None:
    page = watch.open("songs")
    pane = page.locator("#c1-item .pane")
    pane.wait_for()
    seen, left = pane.evaluate(
        "each => [each.clientWidth / each.scrollWidth, each.scrollLeft / each.scrollWidth]"
    )
    end = float(page.locator("#c1-item .pane .tick").count())
    assert end > 60  # seconds or more: an axis has a tick every two seconds
    assert 20 < seen * 2 * end < 30
    # labels are drawn, and the map frames what is seen
    assert page.locator("#c1-item .pane .label").count() > 100
    frame = page.locator("#c1-item .map .window")
    assert float(frame.get_attribute("x") or -1) == pytest.approx(1000 * left, abs=2)
    assert float(frame.get_attribute("width") or -1) == pytest.approx(1000 * seen, abs=2)
    plan = page.locator("#c1-item .map")
    width = plan.evaluate("each => each.getBoundingClientRect().width")
    plan.click(position={"x": 0.8 * width, "y": 12})
    page.wait_for_function(
        "x => Math.abs(Number(document.querySelector('#c1-item .map .window').getAttribute('x')) - x) < 5",
        arg=800 - 500 * seen,
    )


def test_mistakes_are_listed_and_lead_to_their_place(watch: Watched) -> None:
    page = watch.open("chords")
    item_of(page, "Greensleeves")
    page.get_by_label("Mistakes of").select_option(label="hasty")
    (track,) = (track for track in shown_chords("Greensleeves").tracks if track.name == "hasty")
    first = next(mark for mark in track.marks if mark.state == "wrong")
    rows = page.locator("#c1-item .mistakes li")
    assert rows.count() >= sum(mark.state == "wrong" for mark in track.marks)
    rows.first.get_by_role("button").click()
    assert readout(page)[0][0] == f"At {int(first.start // 60)}:{first.start % 60:05.2f}"
    kinds = {
        "root": "wrong root",
        "quality": "wrong quality",
        "bass": "wrong bass",
        "presence": "chord or no chord",
    }
    assert rows.first.inner_text().endswith(kinds[str(first.kind)])


def cursor(page: Page) -> float:
    return float(page.locator("#c1-item .pane line.cursor").get_attribute("x1") or 0)


@pytest.mark.parametrize(("name", "item"), [("chords", "Greensleeves"), ("fingering", "Cadence")])
def test_chords_and_notes_are_played_as_tones(watch: Watched, name: str, item: str) -> None:
    page = watch.open(name)
    pane = item_of(page, item)
    before = cursor(page)
    page.get_by_role("button", name="Play").click()
    button = page.locator("#c1-item button.play")
    expect(button).to_have_text("Pause")
    page.wait_for_function(
        "x => Number(document.querySelector('#c1-item .pane line.cursor').getAttribute('x1')) > x", arg=before
    )
    pane.focus()
    page.keyboard.press("Space")
    expect(button).to_have_text("Play")


def test_a_local_audio_file_is_played_in_step(watch: Watched, tmp_path: Path) -> None:
    path = tmp_path / "song.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8000)
        file.writeframes(bytes([128]) * 8000 * 20)
    page = watch.open("chords")
    item_of(page, "Greensleeves")
    page.get_by_label("Audio file").set_input_files(path)
    page.locator("#c1-item .mistakes button").first.click()
    start = cursor(page)
    page.get_by_role("button", name="Play").click()
    page.wait_for_function(
        "x => Number(document.querySelector('#c1-item .pane line.cursor').getAttribute('x1')) > x", arg=start
    )
    page.get_by_role("button", name="Pause").click()
    (tmp_path / "no.wav").write_text("no audio")
    page.get_by_label("Audio file").set_input_files(tmp_path / "no.wav")
    expect(page.locator("#said")).to_have_text("This file cannot be played")


def test_a_recording_of_the_page_is_played_in_step_and_tones_instead(watch: Watched) -> None:
    page = watch.open("heard")
    item_of(page, "one")
    voices = page.get_by_label("Hear")
    expect(voices.locator("option").first).to_have_text("the recording")
    for voice in ("the recording", "mine", "the recording"):
        voices.select_option(label=voice)
        page.get_by_role("button", name="Play").click()
        start = cursor(page)
        page.wait_for_function(
            "x => Number(document.querySelector('#c1-item .pane line.cursor').getAttribute('x1')) > x",
            arg=start,
        )
        page.get_by_role("button", name="Pause").click()
    item_of(page, "two")
    expect(page.get_by_label("Hear").locator("option")).to_have_text(["reference", "mine"])


@pytest.mark.parametrize(
    ("label", "keys"),
    [
        ("C", [48, 60, 64, 67]),
        ("A:min7/b3", [60, 69, 72, 76, 79]),
        ("Eb:sus4(b7)", [51, 63, 68, 70, 73]),
        ("F#:(1,5)", [54, 66, 73]),
        ("G:9(*3)", [55, 67, 74, 77, 81]),
        ("N", []),
        ("X", []),
    ],
)
def test_labels_are_the_keys_that_they_name(watch: Watched, label: str, keys: list[int]) -> None:
    page = watch.open("chords")
    assert page.evaluate("label => keysOf(label)", label) == keys


def test_a_timeline_is_read_under_the_pointer(watch: Watched) -> None:
    page = watch.open("chords")
    pane = item_of(page, "Amazing Grace")
    page.get_by_role("button", name="All").click()
    pane.scroll_into_view_if_needed()
    box = pane.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 30)
    view = shown_chords("Amazing Grace")
    head, reference, *_ = readout(page)
    minutes, seconds = head[0].removeprefix("At ").split(":")
    time = 60 * int(minutes) + float(seconds)
    assert time == pytest.approx(view.end / 2, rel=0.02)
    (there,) = [span for span in view.tracks[0].spans if span.start <= time < span.end]
    assert reference[1] == there.label


def test_a_timeline_is_judged_by_another_measure(watch: Watched) -> None:
    page = watch.open("chords")
    item_of(page, "Greensleeves")
    wrong = page.locator("#c1-item .totals tbody")
    before = wrong.inner_text()
    page.get_by_label("Judged by").select_option(label="mirex2013/SeventhsBass")
    assert wrong.inner_text() != before


def test_a_piano_roll_is_read_with_the_keys(watch: Watched) -> None:
    page = watch.open("fingering")
    pane = item_of(page, "Cadence")
    pane.focus()
    page.keyboard.press("n")
    # annotator 2 judges, who agrees least; the lowest note: the annotators have 5 and 4, careful has 5
    head, *voices = readout(page)
    assert head[0] == "C3, left hand, at 0:00.00"
    assert [row[:3] for row in voices[:3]] == [
        ["1", "L5", ""],
        ["2", "L4", ""],
        ["careful", "L5", "another annotator's"],
    ]
    page.keyboard.press("ArrowUp")
    assert readout(page)[0][0] == "C4, right hand, at 0:00.00"
    page.keyboard.press("ArrowRight")
    assert readout(page)[0][0].endswith("right hand, at 0:01.00")
    assert page.get_by_label("Fingers of").evaluate("each => each.selectedOptions[0].label") == "careful"
    page.get_by_label("Fingers of").select_option(label="hasty")
    pane.focus()
    for _ in range(20):
        page.keyboard.press("n")
        if readout(page)[0][0] == "F4, right hand, at 0:01.00":
            break
    # its thumb plays the C below too, five semitones away
    *_, hasty = readout(page)
    assert hasty[:3] == ["hasty", "R1", "nobody's finger"]
    assert hasty[3].startswith("R1-R1: ")


def test_the_ranking_is_shown_by_another_measure(watch: Watched) -> None:
    page = watch.open("chords")
    page.get_by_label("Measure").first.select_option(label="mirex2013/Root")
    figures = page.locator("#c1-summary figure.ranking").locator("visible=true")
    expect(figures).to_have_count(1)
    assert figures.locator("caption").inner_text().startswith("Root, %")


def test_classes_stand_below_their_families(watch: Watched) -> None:
    page = watch.open("instruments")
    select = page.locator("#c1-item-choice")
    select.select_option(value=select.locator("option", has_text="harbour song").get_attribute("value"))
    table = page.locator("#c1-item .tree")
    indents = table.locator(".branch").evaluate_all(
        "all => all.map(each => [each.textContent, parseFloat(getComputedStyle(each).paddingInlineStart)])"
    )
    depths = dict(map(tuple, indents))
    assert depths["banjo"] > depths["strings"] == 0
    assert table.locator(".said-3").first.is_visible()
    assert page.locator("#c1-item .ranked").count() == 3


def test_the_address_names_the_item(watch: Watched) -> None:
    page = watch.open("chords", "#c1-item-2")
    # items are numbered by their names
    expect(page.locator("#c1-item .view h4")).to_have_text("Greensleeves")
    page.get_by_role("button", name="Next", exact=True).click()
    assert re.search(r"#c1-item-\d$", page.url)
    again = page.locator("#c1-item .view h4").inner_text()
    page.reload()
    expect(page.locator("#c1-item .view h4")).to_have_text(again)


def test_signatures_are_copied(watch: Watched) -> None:
    page = watch.open("chords", permissions=["clipboard-read", "clipboard-write"])
    page.locator("#c1-scores button[data-copy]").first.click()
    expect(page.locator("#said")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("mirex2013/*|rev:2|")
    assert copied == page.locator("#c1-scores .signature code").first.inner_text()


def test_the_whole_page_is_walked_with_the_tab_key(watch: Watched) -> None:
    page = watch.open("fingering")
    page.locator(".view h4").wait_for()
    look = """() => {
        const each = document.activeElement;
        if (each === document.body) return null;
        const style = getComputedStyle(each);
        const label = each.getAttribute('aria-label') ?? each.labels?.[0]?.textContent ?? each.textContent;
        return [each.tagName, label.trim() !== '', style.outlineStyle !== 'none', each.matches('.pane')];
    }"""
    seen = []
    for _ in range(400):
        page.keyboard.press("Tab")
        found = page.evaluate(look)
        if found is None:
            break
        seen.append(found)
    else:
        pytest.fail("the walk does not end")
    assert seen[0][0] == "A"  # skip to content
    assert all(named and outlined for _, named, outlined, _ in seen)
    assert sum(is_pane for *_, is_pane in seen) == 1
    assert {"A", "BUTTON", "SELECT", "INPUT", "SUMMARY"} <= {tag for tag, *_ in seen}
