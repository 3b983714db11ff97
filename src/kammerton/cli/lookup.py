# SPDX-License-Identifier: MIT
"""``kammerton measures`` and ``explain``: what measures and diagnostics mean."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from kammerton.cli.output import DONE, print_message, style_of, write_output
from kammerton.errors import OptionError, close_match, quote
from kammerton.model.registry import find_task, known_tasks
from kammerton.reporting import explanations
from kammerton.reporting.explanations import pages, topics

if TYPE_CHECKING:
    from kammerton.model.measure import Measure, Protocol
    from kammerton.reporting.cards import Described


def measures(
    task: Annotated[str | None, Parameter(name="TASK", show_default=False)] = None,
    address: Annotated[str | None, Parameter(name="PROTOCOL", show_default=False)] = None,
    /,
    *,
    form: Annotated[Literal["table", "json", "md"], Parameter(name="--format")] = "table",
) -> int:
    """List measures, or print the cards of a protocol.

    Parameters
    ----------
    task
        The task; by default all.
    address
        A protocol, whose rules and cards are printed, or a measure of it: PROTOCOL/MEASURE. A name alone
        prints all measures that are called so, in upper or lower case.
    form
        Text, JSON or Markdown. JSON and Markdown hold every card.
    """
    from kammerton.reporting import cards  # noqa: PLC0415 - `explain` needs no NumPy
    from kammerton.reporting.documents import render_json  # noqa: PLC0415

    if task is not None and address is None and task not in known_tasks():
        task, address = None, task
    described = list(_chosen(task, address))
    if not described:
        raise _unknown(task, address or "")
    if form == "json":
        write_output(render_json(cards.describe(described)), is_data=True)
    elif form == "md":
        write_output(cards.render_markdown_cards(described), is_data=True)
    else:
        render = cards.render_list if address is None else cards.render_cards
        write_output(render(described, width=style_of(sys.stdout).width))
    return DONE


def _chosen(task: str | None, address: str | None) -> Iterator[Described]:
    from kammerton.reporting.cards import Described  # noqa: PLC0415 - as above

    for name, protocol in _protocols(task):
        if address in (None, protocol.name):
            yield Described(name, protocol, protocol.measures)
        elif chosen := tuple(m for m in protocol.measures if _is_called(m, address)):
            yield Described(name, protocol, chosen)


def _protocols(task: str | None) -> Iterator[tuple[str, Protocol]]:
    """Give the protocols of a task, or of all whose packages can be imported."""
    for name in known_tasks() if task is None else (task,):
        try:
            protocols = find_task(name).protocols
        except OptionError as error:
            if task is not None:
                raise
            print_message(f"warning: {error}")
            continue
        yield from ((name, protocol) for protocol in protocols)


def _is_called(measure: Measure, address: str | None) -> bool:
    """Return whether this is the address, or the name in upper or lower case."""
    return address is not None and (address == str(measure) or address.casefold() == measure.name.casefold())


def _unknown(task: str | None, address: str) -> OptionError:
    """Return the error that there is no such task, protocol or measure, with the nearest name."""
    names = list(known_tasks()) if task is None else []
    for _, protocol in _protocols(task):
        names += [protocol.name, *map(str, protocol.measures), *(m.name for m in protocol.measures)]
    near = close_match(address, names)
    hint = f"did you mean {quote(near)}?" if near else "`kammerton measures` lists all"
    return OptionError(f"no task, protocol or measure is called {quote(address)}", hint)


def explain(code: Annotated[str | None, Parameter(name="CODE", show_default=False)] = None, /) -> int:
    """Print what a code means, an example, and how to mend it; without CODE, list all codes.

    Parameters
    ----------
    code
        Such as KT312, as it stands in brackets in a message; or human-agreement, a topic.
    """
    if code is None:
        every = (*pages().values(), *topics().values())
        titles = (page.read_text(encoding="utf-8").partition("\n")[0] for page in every)
        write_output("".join(f"{title.removeprefix('# ')}\n" for title in titles))
        return DONE
    write_output(explanations.explain(code))
    return DONE
