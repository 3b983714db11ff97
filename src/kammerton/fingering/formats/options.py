# SPDX-License-Identifier: MIT
"""What a caller may say about files of fingerings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from kammerton.errors import OptionError
from kammerton.formats.options import Limits, SidedOptions, check_encoding

__all__ = ["DEFAULT_OPTIONS", "HandOption", "LabelEncoding", "ReadingOptions"]

LabelEncoding = Literal["auto", "pig", "1-10", "0-9", "L1/R5"]
HandOption = Literal["auto", "right", "left"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOptions(SidedOptions):
    """How files of fingerings are read.

    Encodings and hands may be said of one side alone: ``label_encoding={"estimates": "1-10"}``.

    Parameters
    ----------
    encoding : str
        Character encoding of text files; a byte order mark always wins over it.
    label_encoding : {"auto", "pig", "1-10", "0-9", "L1/R5"}
        How numbers mean fingers: *pig* is 1 to 5 of the right hand and -1 to -5 of the left; *1-10*
        counts from the left thumb to the left little finger, then from the right thumb; *0-9* from
        the right thumb, then from the left; *L1/R5* names the hand. *auto* is what the format has.
    hand : {"auto", "right", "left"}
        Whose notes and fingers they are where a file does not tell: on a single staff, or of numbers
        without sign.
    limits : Limits
        Budgets of one file.
    """

    by_side: ClassVar[frozenset[str]] = frozenset(("encoding", "label_encoding", "hand"))
    encoding: str = "utf-8"
    label_encoding: LabelEncoding = "auto"
    hand: HandOption = "auto"
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        SidedOptions.__post_init__(self)
        check_encoding(self.encoding)
        for kind, value, known in (
            ("encoding of finger labels", self.label_encoding, ("auto", "pig", "1-10", "0-9", "L1/R5")),
            ("hand", self.hand, ("auto", "right", "left")),
        ):
            if value not in known:
                raise OptionError.unknown(kind, value, known)


DEFAULT_OPTIONS = ReadingOptions()
