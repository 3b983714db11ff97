# SPDX-License-Identifier: MIT
"""Networks that finger notes: a bidirectional LSTM over the notes of a hand, and tables of finger triples.

``bilstm`` takes each finger by itself. ``crf`` has tables besides, of three fingers in a row and of the
intervals that two make: a conditional random field of the second order. Training needs Keras
(:mod:`~kammerton.systems.fingering_training`), fingering needs NumPy alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from kammerton.errors import OptionError
from kammerton.fingering.annotation import Fingering
from kammerton.systems.fingering_forward import path_scores, shapes
from kammerton.systems.fingering_paths import BERINGER, PathSettings, fingered
from kammerton.systems.fingering_training import train_network
from kammerton.systems.models import Model
from kammerton.systems.system import Input, System, SystemCard


@dataclass(frozen=True)
class NetSettings(PathSettings):
    """Settings of the systems ``bilstm`` and ``crf``; those of :class:`PathSettings`, and of training.

    Parameters
    ----------
    units : int
        Size of the layers.
    epochs : int
        Most passes through the data; training ends earlier if nothing is gained any more.
    validation : float
        Share of the items that tell when to stop, where the splits name none for it. With 0, the items that
        are learned from tell it.
    """

    units: int = 64
    epochs: int = 60
    validation: float = 0.21

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("units", "epochs"):
            number = getattr(self, name)
            if isinstance(number, bool) or not isinstance(number, int) or number < 1:
                raise OptionError(f"{name}: a whole number from 1 on, not {number}")
        if isinstance(self.validation, bool) or not 0 <= self.validation < 1:
            raise OptionError(f"validation: a share from 0 to below 1, not {self.validation}")


@dataclass(frozen=True)
class CrfSettings(NetSettings):
    """Settings of the system ``crf``: its fingers are playable by default."""

    profile: str = "parncutt1997"


def _annotate(source: Input, model: Model, settings: NetSettings) -> Fingering:
    return fingered(source, settings, partial(path_scores, model.arrays))


_LEVELS = {
    "bilstm": "M_gen 90.4 [87.7, 92.7]; playable by parncutt1997 81.6 [79.2, 83.9]",
    "crf": "M_gen 82.7 [80.3, 85.0]; without a profile 91.5 [88.9, 93.9]",
}


def _system(name: str, summary: str, options: type[NetSettings], *, chained: bool) -> System:
    return System(
        name=name,
        task="fingering",
        takes=frozenset(("notes",)),
        card=SystemCard(
            summary=summary,
            source="kammerton",
            licence="MIT",
            trained_on="what its model was trained on",
            levels=(f"{BERINGER}, in which figures recur in other keys: {_LEVELS[name]}",),
            limits="Both hands are one, mirrored. Training needs `pip install 'kammerton[train]'`.",
            cost="10,000 notes in 0.6 s; training on 100 pieces takes 2 min of two cores",
        ),
        options=options,
        annotate=_annotate,
        train=partial(train_network, chained=chained),
        arrays=shapes(chained=chained),
    )


NETS = (
    _system(
        "bilstm",
        "A bidirectional LSTM, which takes the most probable finger of each note.",
        NetSettings,
        chained=False,
    ),
    _system(
        "crf",
        "A bidirectional LSTM with a conditional random field of three fingers; playable.",
        CrfSettings,
        chained=True,
    ),
)
