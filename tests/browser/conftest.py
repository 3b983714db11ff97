# SPDX-License-Identifier: MIT
"""A browser that lets nothing out, and the pages that it is shown."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from browser.pages import PAGES
from browser.watching import Watched

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One browser for all tests; it is found by ``KAMMERTON_CHROMIUM``, or by its name."""
    found = os.environ.get("KAMMERTON_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip("no browser: install chromium, or name one in KAMMERTON_CHROMIUM")
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="package")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages that were written already, by name."""
    return {"": tmp_path_factory.mktemp("pages")}


@pytest.fixture
def watch(browser: Browser, written: dict[str, Path]) -> Iterator[Watched]:
    """Open pages, and fail if any of them complains, or asks for anything."""

    def page_of(name: str) -> Path:
        if name not in written:
            path = written[""] / f"{name}.html"
            PAGES[name](path)
            written[name] = path
        return written[name]

    watched = Watched(browser, page_of)
    yield watched
    watched.close()
