# SPDX-License-Identifier: MIT
"""What a caller may say about fingerings: how they are read, and how they are scored."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from kammerton.errors import OptionError
from kammerton.fingering.alignment import TOLERANCE_S
from kammerton.fingering.formats.options import ReadingOptions
from kammerton.fingering.profiles import PROFILES, Profile, load_profile, profile_named

__all__ = ["FingeringOptions"]

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
