# SPDX-License-Identifier: MIT
"""Scores as files for programs: JSON, CSV, JSON lines, Parquet. Nothing is rounded."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

from kammerton.errors import out_of, plural
from kammerton.model.corpus import ALL
from kammerton.model.measure import Measure
from kammerton.reporting.escaping import for_json, for_spreadsheet
from kammerton.reporting.rankings import signature_lines
from kammerton.reporting.tables import FORMS, aligned, latex
from kammerton.results.scores import Scores
from kammerton.results.tables import short
from kammerton.statistics.paired import differences, scale_of

if TYPE_CHECKING:
    import polars as pl

_NEEDS_QUOTES = re.compile(r'[",\r\n]|^[ \t]|[ \t]$')


def render_json(document: object) -> str:
    """Return a document of plain values as JSON; undefined values are null, NaN is refused."""
    return for_json(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)) + "\n"


def render_csv(header: Sequence[str], rows: Iterable[Sequence[Any]], *, safe: bool = False) -> str:
    """Return rows as CSV (RFC 4180, lines ended by a line feed); None is an empty cell."""
    lines = [",".join(header)]
    lines += [",".join(_cell(value, safe=safe) for value in row) for row in rows]
    return "\n".join(lines) + "\n"


def _cell(value: Any, *, safe: bool) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return repr(value)
    text = for_spreadsheet(value) if safe else value
    return '"' + text.replace('"', '""') + '"' if _NEEDS_QUOTES.search(text) else text


def render_frame(frame: pl.DataFrame, *, safe: bool = False) -> str:
    """Return a data frame as :func:`render_csv` has it."""
    return render_csv(frame.columns, frame.iter_rows(), safe=safe)


def render_items(scores: Scores, suffix: str, *, safe: bool = False) -> bytes:
    """Return the scores of each item, the columns of :attr:`kammerton.Scores.items`."""
    frame = scores.items
    if suffix == ".parquet":
        file = io.BytesIO()
        frame.write_parquet(file)
        return file.getvalue()
    if suffix == ".csv":
        return render_frame(frame, safe=safe).encode("utf-8", "backslashreplace")
    lines = (
        json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in frame.iter_rows(named=True)
    )
    return for_json("".join(lines)).encode("utf-8", "backslashreplace")


OUTCOMES = ("hit", "miss", "spurious")
"""What may become of a label that was annotated or listed."""
COLUMNS = (*OUTCOMES, "P", "R", "F")
"""What is told of each class."""


def of_each_class(cells: Mapping[tuple[Any, ...], float]) -> Iterator[tuple[Any, ...]]:
    """Give a row for each class: its name, and the :data:`COLUMNS`; the most annotated first.

    Examples
    --------
    >>> for row in of_each_class({("cello", "hit"): 3.0, ("cello", "miss"): 1.0, ("oboe", "spurious"): 2.0}):
    ...     print(*row)
    cello 3.0 1.0 0.0 1.0 0.75 0.8571428571428571
    oboe 0.0 0.0 2.0 0.0 None 0.0
    """
    names = dict.fromkeys(name for name, _ in cells)
    rows = [(name, *(cells.get((name, outcome), 0.0) for outcome in OUTCOMES)) for name in names]
    for name, hit, miss, spurious in sorted(rows, key=lambda row: (-row[1] - row[2], str(row[0]))):
        precision = _share(hit, hit + spurious)
        recall = _share(hit, hit + miss)
        yield name, hit, miss, spurious, precision, recall, _share(2 * hit, 2 * hit + miss + spurious)


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


_Table = tuple[list[str], list[tuple[Any, ...]], int]
"""Names of columns, rows, and how many columns are texts."""


def render_class_table(
    scores: Scores, name: str, form: str, *, safe: bool = False, encoding: str = "utf-8"
) -> str:
    """Return a class table, the heaviest rows of each system first.

    Notes
    -----
    A table of hits, misses and spurious labels has a row for each class, with its precision, recall and F.
    """
    columns, rows, names = _of_outcomes(scores, name) if _has_outcomes(scores, name) else _plain(scores, name)
    if form == "json":
        return render_json([dict(zip(columns, row, strict=True)) for row in rows])
    if form == "csv":
        return render_csv(columns, rows, safe=safe)
    texts = [[_value_text(value, name) for value, name in zip(row, columns, strict=True)] for row in rows]
    if form == "table":
        return aligned(columns, texts, text_columns=names, encoding=encoding)
    if form == "latex":
        signed = list(signature_lines(scores, scores.measures, ALL))
        caption = f"Class table: {name}."
        return latex(columns, texts, text_columns=names, caption=caption, label=name, comments=signed)
    return FORMS[form](columns, texts, text_columns=names)


def _plain(scores: Scores, name: str) -> _Table:
    frame = scores.table(name)
    rows = [(*texts, short(amount)) for *texts, amount in frame.iter_rows()]
    return frame.columns, rows, len(frame.columns) - 1


def _has_outcomes(scores: Scores, name: str) -> bool:
    tally = scores.tally(name)
    outcomes = {classes[-1] for cells in tally.cells.values() for classes in cells}
    return len(tally.columns) == 2 and tally.columns[-1] == "outcome" and outcomes <= set(OUTCOMES)


def _of_outcomes(scores: Scores, name: str) -> _Table:
    """Return hits, misses, spurious labels, P, R and F of each class in one row."""
    tally = scores.tally(name)
    rows = [
        (system, annotator, *row)
        for (system, annotator), cells in tally.cells.items()
        for row in of_each_class(cells)
    ]
    return ["system", "annotator", tally.columns[0], *COLUMNS], rows, 3


def _value_text(value: Any, column: str) -> str:
    if isinstance(value, float):
        return f"{value:.10g}" if column in OUTCOMES else f"{value:.3f}"
    return "-" if value is None else str(value)


class ItemLoss(NamedTuple):
    """What an item lost, over all systems and annotators, and what it was measured on."""

    item: str
    lost: float
    weight: float


def items_that_lost_most(scores: Scores, measure: Measure, count: int) -> list[str]:
    """Return the names of :func:`item_losses`."""
    return [loss.item for loss in item_losses(scores, measure)[:count]]


def item_losses(scores: Scores, measure: Measure, systems: Sequence[str] = ()) -> list[ItemLoss]:
    """Return the losses of items by a measure, largest first, over all systems or over some."""
    losses: dict[str, tuple[float, float]] = {}
    for row in scores.items_by([measure]).iter_rows(named=True):
        if row["value"] is not None and row["system"] in (systems or scores.systems):
            best, worse = (1.0, row["value"]) if measure.direction == "higher" else (row["value"], 0.0)
            lost = float(differences(best, worse, scale_of(measure)))
            before, weight = losses.get(row["item"], (0.0, 0.0))
            losses[row["item"]] = (before + lost * row["weight"], weight + row["weight"])
    known = [ItemLoss(item, *loss) for item, loss in losses.items() if loss[0] > 0]
    return sorted(known, key=lambda loss: (-loss.lost, loss.item))


def render_item_losses(
    scores: Scores,
    measure: Measure,
    losses: Sequence[ItemLoss],
    systems: Sequence[str] = (),
    *,
    width: int,
    encoding: str = "utf-8",
) -> str:
    """Return a table of the items with the largest loss for a terminal."""
    unit = measure.weight_unit
    over = "".join(
        f" over {plural(len(names), noun)}"
        for names, noun in ((systems or scores.systems, "system"), (scores.annotators, "annotator"))
        if len(names) > 1
    )
    total = len(set(scores.items["item"]))
    title = (
        f"{out_of(len(losses), total, 'item')} with the largest loss: how far {measure} "
        f"is from its best value, times the weight of the item{over}"
    )
    rows = [
        [loss.item, f"{loss.lost:.3f}", f"{loss.weight:.3f}", f"{100 * loss.lost / loss.weight:.2f}"]
        for loss in losses
    ]
    head = ["item", f"lost {unit}", f"of {unit}", "lost %"]
    return f"{fill(title, width, subsequent_indent='  ')}\n" + aligned(
        head, rows, text_columns=1, encoding=encoding
    )
