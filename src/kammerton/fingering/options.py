# SPDX-License-Identifier: MIT
"""What a caller may say about fingerings: how they are read, and how they are scored."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from typing import Literal

from kammerton.errors import OptionError
from kammerton.fingering.alignment import TOLERANCE_S
from kammerton.fingering.annotation import Fingering
from kammerton.fingering.formats import read_fingering
from kammerton.fingering.formats.notes import ReadingOptions
from kammerton.fingering.profiles import PROFILES, Profile, load_profile, profile_named
from kammerton.formats.reading import read_one

__all__ = ["FingeringOptions", "read"]

Substitution = Literal["strike", "exact", "any"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FingeringOptions(ReadingOptions):
    """How fingerings are read and scored.

    Parameters
    ----------
    tolerance_s : float
        Seconds that onsets of one note may differ between two files.
    substitution : {"strike", "exact", "any"}
        When labels with a change of fingers match in the protocol ``strike``: the finger that strikes
        is the same, all are, or any of them is.
    profile : str
        Span table of the protocol ``playability``: a built-in name, or a TOML or JSON file.
    """

    tolerance_s: float = TOLERANCE_S
    substitution: Substitution = "strike"
    profile: str = field(default="parncutt1997", metadata={"file": True})

    def __post_init__(self) -> None:
        ReadingOptions.__post_init__(self)
        if not (math.isfinite(self.tolerance_s) and self.tolerance_s >= 0):
            raise OptionError(f"a tolerance is not negative: {self.tolerance_s}", "in seconds, such as 0.05")
        if self.substitution not in ("strike", "exact", "any"):
            raise OptionError.unknown("way with substitutions", self.substitution, ("strike", "exact", "any"))
        self.span_table()

    def span_table(self) -> Profile:
        """Return the profile."""
        if self.profile in PROFILES or not self.profile.lower().endswith((".toml", ".json")):
            return profile_named(self.profile)
        return load_profile(self.profile)


def read(
    path: str | os.PathLike[str], *, annotator: str | None = None, options: FingeringOptions | None = None
) -> Fingering:
    r"""Read the fingering of one piece from a file.

    Parameters
    ----------
    path : path
        A file of any format that fingerings are read from: PIG, a table of notes, JSON, MusicXML or abcDF.
    annotator : str, optional
        Which annotation, where the file holds several.
    options : FingeringOptions, optional
        How it is read.

    Returns
    -------
    Fingering
        Its times are in seconds, or in quarter notes if ``unit`` says so; its labels, in the notation of PIG.

    Raises
    ------
    DataError
        If the file cannot be used.
    OptionError
        If it holds several annotations and ``annotator`` names none of them.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "scale.csv")
    ...     written = path.write_text("onset,offset,pitch,hand,finger\n0,1,C4,right,1\n1,2,D4,right,2\n")
    ...     found = read(path)
    >>> found.labels, found.pitches.tolist(), found.unit
    (('1', '2'), [60, 62], 's')
    """
    return read_one(read_fingering, path, annotator, options or FingeringOptions())
