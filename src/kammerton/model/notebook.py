# SPDX-License-Identifier: MIT
"""How results show themselves in notebooks: by what is above them, which is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Charted", "Shown"]

_NOTEBOOK = "kammerton.reporting.notebook"


class Shown:
    """A result that notebooks show as tables."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return the tables that a notebook shows."""
        shown: str = _notebook().html_of(self)
        return shown


class Charted(Shown):
    """A result that has charts."""

    __slots__ = ()

    def chart(self, name: str = "forest", *, measure: str | None = None) -> alt.TopLevelMixin:
        """Return a chart, which notebooks show; needs the extra ``kammerton[report]``.

        Parameters
        ----------
        name : {"forest", "ranks", "items", "scatter", "groups", "losses", "confusion"}
            Figures with intervals, of all headline measures of a protocol; mean ranks of three systems or
            more; how the values of items are spread; the first system against the second; figures of
            groups; what classes of labels cost, and what they were taken for.
        measure : str, optional
            Its address, or a unique name; by default the one that the task judges by.

        Returns
        -------
        altair.TopLevelMixin
            To be changed, shown or saved.

        Raises
        ------
        OptionError
            If there is no such chart or measure, nothing to draw, or Altair is not installed.

        Examples
        --------
        >>> from kammerton import score
        >>> ref = {"song": ([(0, 2), (2, 4)], ["C", "G:7"])}
        >>> scores = score("chords", ref, {"mine": {"song": ([(0, 4)], ["C"])}})
        >>> scores.chart("items", measure="mirex2013/Root").to_dict()["facet"]["row"]["field"]
        'system'
        """
        drawn: alt.TopLevelMixin = _notebook().chart_of(self, name, measure)
        return drawn


def _notebook() -> Any:
    return import_module(_NOTEBOOK)
