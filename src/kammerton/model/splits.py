# SPDX-License-Identifier: MIT
"""Score a part of a corpus, and notice what of it a system may have been trained on."""

from __future__ import annotations

import unicodedata
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from kammerton.errors import Diagnostic, OptionError, inflected, out_of, quote, some
from kammerton.model.corpus import Collection, Corpus

__all__ = ["TRAIN", "choose_split"]

TRAIN = "train"
"""The split that systems learn from."""


def choose_split(corpus: Corpus, splits: Mapping[str, str], split: str | None) -> Corpus:
    """Return the items of one split, with warnings about what is not as a split should be.

    Parameters
    ----------
    corpus : Corpus
        All there is.
    splits : mapping of str to str
        Split of each item. A name without folders also stands for items of that name in folders.
    split : str, optional
        The split that is scored; without it all of the corpus is.

    Returns
    -------
    Corpus
        Its diagnostics name items that no split lists (KT214); without ``split``, those that are for
        training (KT215); and with it, those that the references lack (KT216).

    Raises
    ------
    OptionError
        If no item is in this split.
    """
    if split is not None and split not in splits.values():
        raise OptionError.unknown("split", split, set(splits.values()))
    corpus = corpus.paired()
    known = {unicodedata.normalize("NFC", item): name for item, name in splits.items()}
    entries = {item: _entry(item, known) for item in sorted(corpus.items)}
    found = tuple(_diagnoses(entries, known, split, "reference" if corpus.references else "estimate"))
    if split is not None:
        every = {item: _entry(item, known) for item in _items((*corpus.references, *corpus.systems))}
        kept = {item for item, entry in every.items() if entry is not None and known[entry] == split}
        corpus = Corpus(
            tuple(_only(kept, collection) for collection in corpus.references),
            tuple(_only(kept, system) for system in corpus.systems),
        )
    first, *rest = corpus.bases
    told = (replace(first, diagnostics=(*first.diagnostics, *found)), *rest)
    return replace(corpus, references=told) if corpus.references else replace(corpus, systems=told)


def _entry(item: str, known: Mapping[str, str]) -> str | None:
    """Return the name by which an item is listed, if it is."""
    name = unicodedata.normalize("NFC", item)
    return next((each for each in (name, name.rpartition("/")[2]) if each in known), None)


def _items(collections: Iterable[Collection]) -> set[str]:
    return {item for collection in collections for item in collection.items}


def _only(kept: Container[str], collection: Collection) -> Collection:
    return collection.only(item for item in (*collection.sources, *collection.broken) if item in kept)


def _diagnoses(
    entries: Mapping[str, str | None], known: Mapping[str, str], split: str | None, needed: str
) -> Iterator[Diagnostic]:
    unknown = [item for item, entry in entries.items() if entry is None]
    if unknown:
        fate = "scored all the same" if split is None else "not scored"
        verb = inflected(len(unknown), "is", "are")
        message = f"{out_of(len(unknown), len(entries), 'item')} {verb} in no split, {fate}"
        yield _warning("KT214", message, unknown)
    if split is None:
        training = [item for item, entry in entries.items() if entry is not None and known[entry] == TRAIN]
        if training:
            hint = "a system may have learnt them; --split test scores the test items alone"
            message = f"the figures include the training split: {out_of(len(training), len(entries), 'item')}"
            yield _warning("KT215", message, training, hint)
        return
    listed = [item for item, name in known.items() if name == split]
    lacking = sorted(set(listed).difference(entry for entry in entries.values() if entry is not None))
    if lacking:
        verb = inflected(len(lacking), "has", "have")
        counted = out_of(len(lacking), len(listed), "item")
        message = f"{counted} of the split {quote(split)} {verb} no {needed}"
        yield _warning("KT216", message, lacking, "the figures are not of the whole split")


def _warning(code: str, message: str, items: Sequence[str], hint: str | None = None) -> Diagnostic:
    message = f"{message} ({some(items)})"
    return Diagnostic(code=code, severity="warning", message=message, hint=hint, count=len(items))
