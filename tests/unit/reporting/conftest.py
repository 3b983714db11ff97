# SPDX-License-Identifier: MIT
"""Fixtures of the tests of reports."""

from typing import Any

import pytest
from markupsafe import Markup

DRAWING = ("comparison", "items", "overview")


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave charts empty but for their labels: they take most of the time of a report."""

    def empty(_: Any, label: str) -> Markup:
        return Markup('<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{}"></svg>').format(
            label
        )

    for module in DRAWING:
        monkeypatch.setattr(f"kammerton.reporting.html.{module}.inline_svg", empty)
