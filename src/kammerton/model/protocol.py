# SPDX-License-Identifier: MIT
"""A protocol: a named, frozen, versioned set of rules; and the choice of measures by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from kammerton.errors import OptionError, close_match, quote
from kammerton.model.measure import Measure

__all__ = ["Protocol", "choose", "find", "namesakes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """How items are aligned, labels compared, time left out, and items made a corpus figure.

    Parameters
    ----------
    name : str
        First part of its measures' address.
    revision : int
        Raised whenever any of its numbers could change.
    summary : str
        One sentence.
    rules : str
        The rules in words, for ``kammerton measures``.
    measures : tuple of Measure
        In the order of output.
    on_request : bool
        Whether it runs only when named.
    citation : str
        BibTeX entries, with their keys, of the works that define it, a blank line between them; protocols of
        one work have equal entries.
    """

    name: str
    revision: int
    summary: str
    rules: str
    measures: tuple[Measure, ...]
    on_request: bool = False
    citation: str = ""


def choose(
    protocols: Sequence[Protocol], names: Iterable[str] | None, measures: Iterable[str] | None
) -> tuple[Measure, ...]:
    """Return the measures that are to be computed.

    Parameters
    ----------
    protocols : sequence of Protocol
        All protocols of a task.
    names : iterable of str, optional
        Protocols to run; by default all that do not run on request only.
    measures : iterable of str, optional
        Addresses ``protocol/measure``, in which a ``*`` stands for anything, or names that no other measure
        of the chosen protocols has, in upper or lower case.

    Raises
    ------
    OptionError
        A name is unknown, or fits measures of two protocols.
    """
    wanted = _several("measures", measures)
    names = _several("protocols", names)
    known = {protocol.name: protocol for protocol in protocols}
    if names is not None:
        chosen = [_named(name, known) for name in dict.fromkeys(names)]
    elif wanted is not None:
        prefixes = {str(address).partition("/")[0] for address in wanted if "/" in str(address)}
        chosen = [p for p in protocols if not p.on_request or p.name in prefixes]
    else:
        chosen = [p for p in protocols if not p.on_request]
    available = [measure for protocol in chosen for measure in protocol.measures]
    if wanted is None:
        return tuple(available)
    every = [measure for protocol in protocols for measure in protocol.measures]
    picked = {measure for address in wanted for measure in _fitting(address, available, every)}
    return tuple(measure for measure in available if measure in picked)


def _several(kind: str, names: Iterable[str] | None) -> list[str] | None:
    """Return the names that were given; a text is one name, and no name at all is a mistake."""
    if names is None:
        return None
    if not isinstance(names, Iterable):
        raise OptionError.of_type(kind, names, "names")
    listed = [names] if isinstance(names, str) else list(names)
    if not listed:
        raise OptionError(f"no {kind} are named", f"leave out {kind} for all of them")
    return listed


def _fitting(address: str, measures: Sequence[Measure], every: Sequence[Measure]) -> list[Measure]:
    """Return the measures that an address such as ``mirex2013/*`` fits, or the one that it is of."""
    fitting = [m for m in measures if fnmatchcase(str(m), address)] if "*" in str(address) else []
    return fitting or [find(address, measures, every)]


def find(address: str, measures: Sequence[Measure], every: Sequence[Measure] = ()) -> Measure:
    """Return the measure with this address, or with this name if only one has it.

    Parameters
    ----------
    address : str
        As it is written: ``MajMin`` is no name of ``majmin``. A name that others have in other case, such as
        these two, is not unique.
    measures : sequence of Measure
        Those to choose from.
    every : sequence of Measure
        Those that could have been among them.

    Raises
    ------
    OptionError
        A name is unknown, or fits several measures.
    """
    if not isinstance(address, str):
        raise OptionError.of_type("measure", address, "a str")
    folded = address.casefold()
    alike = [m for m in measures if folded in (str(m).casefold(), m.name.casefold())]
    matches = [m for m in alike if str(m) == address] or alike
    if len(matches) > 1:
        raise OptionError(
            f"measure {quote(address)} is not unique", f"say which: {', '.join(map(str, alike))}"
        )
    if matches and address in (str(matches[0]), matches[0].name):
        return matches[0]
    if any(address in (str(m), m.name) for m in every):
        raise OptionError(
            f"measure {quote(address)} is not among those that are computed",
            f"they are of {', '.join(dict.fromkeys(m.protocol for m in measures))}",
        )
    near = close_match(address, [*(m.name for m in measures), *map(str, measures)])
    listed = "`kammerton measures` lists all"
    hint = listed if near is None else f"did you mean {quote(near)}? {listed}"
    raise OptionError(f"unknown measure {quote(address)}", hint)


def namesakes(
    addresses: Iterable[str], chosen: Sequence[Measure], every: Sequence[Measure]
) -> dict[Measure, tuple[Measure, ...]]:
    """Return measures that were chosen by their names alone, and others that are called alike.

    Parameters
    ----------
    addresses : iterable of str
        As the caller wrote them.
    chosen : sequence of Measure
        What they were taken for.
    every : sequence of Measure
        What else the caller may have meant: measures whose names differ in case only, or not at all.
    """
    found: dict[Measure, tuple[Measure, ...]] = {}
    for measure in chosen:
        if measure.name in addresses:
            folded = measure.name.casefold()
            others = tuple(m for m in every if m != measure and m.name.casefold() == folded)
            found |= {measure: others} if others else {}
    return found


def _named(name: str, known: dict[str, Protocol]) -> Protocol:
    if not isinstance(name, str) or name not in known:
        raise OptionError.unknown("protocol", name, known)
    return known[name]
