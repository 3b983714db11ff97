# SPDX-License-Identifier: MIT
"""An item that is drawn where it is printed, as in a notebook."""

from __future__ import annotations

from dataclasses import dataclass, fields
from html import escape

from kammerton.errors import OptionError
from kammerton.model.views import ItemView
from kammerton.reporting.timeline import render_item

__all__ = ["DrawnItem"]


@dataclass(frozen=True, slots=True, repr=False)
class DrawnItem(ItemView):
    """An :class:`kammerton.model.views.ItemView` whose text is its drawing, 80 columns wide."""

    @classmethod
    def of(cls, view: ItemView) -> DrawnItem:
        """Return the same item, to be drawn."""
        return cls(**{field.name: getattr(view, field.name) for field in fields(ItemView)})

    def __str__(self) -> str:
        """Return the drawing."""
        return render_item(self)

    def __repr__(self) -> str:
        """Return the drawing, or the name of an item too short to be drawn."""
        try:
            return render_item(self)
        except OptionError:
            return f"<{self.item}: nothing to draw>"

    def _repr_html_(self) -> str:
        """Return the drawing as a notebook shows it."""
        return f"<pre>{escape(repr(self))}</pre>"
