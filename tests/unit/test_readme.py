# SPDX-License-Identifier: MIT
"""The README of a package index has no link that only the repository knows."""

import importlib.util
from pathlib import Path

import pytest

PLACE = Path(__file__).parents[2] / "hatch_build.py"


def test_links_lead_to_the_repository_or_become_text() -> None:
    pytest.importorskip("hatchling")
    spec = importlib.util.spec_from_file_location("hatch_build", PLACE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = "[rules](docs/a.md#b), [the [tool]](C.cff), [web](https://a.org), [below](#x). ![Page](docs/a.png)"
    assert module.with_absolute_links(text, None) == "rules, the [tool], [web](https://a.org), [below](#x). "
    assert module.with_absolute_links(text, "https://host/k/") == (
        "[rules](https://host/k/blob/main/docs/a.md#b), [the [tool]](https://host/k/blob/main/C.cff), "
        "[web](https://a.org), [below](#x). ![Page](https://host/k/raw/main/docs/a.png)"
    )
