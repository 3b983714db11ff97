# SPDX-License-Identifier: MIT
"""``kammerton measures``: what every figure means."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from kammerton.errors import OptionError, close_match, quote
from kammerton.model.registry import find_task, known_tasks

if TYPE_CHECKING:
    from kammerton.model.measure import Measure
    from kammerton.reporting.cards import Described

__all__ = ["app"]

app = App(
    name="measures",
    help="Describe every protocol and measure: formula, range, source.",
    usage="Usage: kammerton measures [TASK] [PROTOCOL|PROTOCOL/MEASURE] [OPTIONS]",
)


@app.default
def measures(
    task: Annotated[str | None, Parameter(name="TASK", show_default=False)] = None,
    address: Annotated[str | None, Parameter(name="PROTOCOL", show_default=False)] = None,
    /,
    *,
    form: Annotated[Literal["table", "json", "md"], Parameter(name="--format")] = "table",
) -> int:
    """List measures, or show the cards of a protocol.

    Parameters
    ----------
    task
        The task; by default all.
    address
        A protocol, whose rules and cards are shown, or a measure of it: PROTOCOL/MEASURE. By its name alone
        all measures are shown that are called alike, in upper or lower case.
    form
        Text, JSON or Markdown. The latter two hold every card.
    """
    from kammerton.cli.streams import (  # noqa: PLC0415
        DONE,
        style_of,
        write_out,
    )
    from kammerton.reporting import cards  # noqa: PLC0415
    from kammerton.reporting.documents import render_json  # noqa: PLC0415

    if task is not None and address is None and task not in known_tasks():
        task, address = None, task
    described = list(_chosen(task, address))
    if not described:
        raise _unknown(task, address or "")
    if form != "table":
        text = (
            render_json(cards.describe(described))
            if form == "json"
            else cards.render_markdown_cards(described)
        )
        write_out(text, is_data=True)
    else:
        render = cards.render_list if address is None else cards.render_cards
        write_out(render(described, width=style_of(sys.stdout).width))
    return DONE


def _chosen(task: str | None, address: str | None) -> Iterator[Described]:
    from kammerton.reporting.cards import Described  # noqa: PLC0415

    for name in known_tasks() if task is None else (task,):
        for protocol in find_task(name).protocols:
            if address in (None, protocol.name):
                yield Described(name, protocol, protocol.measures)
            else:
                picked = tuple(m for m in protocol.measures if _is_called(m, address))
                if picked:
                    yield Described(name, protocol, picked)


def _is_called(measure: Measure, address: str | None) -> bool:
    """Tell whether this is the address, or the name in upper or lower case: others may have it in another."""
    return address is not None and (address == str(measure) or address.casefold() == measure.name.casefold())


def _unknown(task: str | None, address: str) -> OptionError:
    """Say that there is no such task, protocol or measure, with the nearest name."""
    names = list(known_tasks()) if task is None else []
    for name in known_tasks() if task is None else (task,):
        for protocol in find_task(name).protocols:
            names += [protocol.name, *map(str, protocol.measures), *(m.name for m in protocol.measures)]
    near = close_match(address, names)
    hint = f"did you mean {quote(near)}?" if near else "`kammerton measures` lists all"
    return OptionError(f"no task, protocol or measure is called {quote(address)}", hint)
