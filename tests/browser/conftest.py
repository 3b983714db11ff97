# SPDX-License-Identifier: MIT
"""A browser that lets nothing out, and the pages that it is shown."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from browser.pages import PAGES
from browser.watching import PATIENCE_MS, Watched

_NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One browser for all tests; it is found by ``KAMMERTON_CHROMIUM``, or by its name."""
    found = os.environ.get("KAMMERTON_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip("no browser: install chromium, or name one in KAMMERTON_CHROMIUM")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="package")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pages are, of all processes that run tests together."""
    together = "PYTEST_XDIST_WORKER" in os.environ
    path = (tmp_path_factory.getbasetemp().parent if together else tmp_path_factory.getbasetemp()) / "pages"
    path.mkdir(exist_ok=True)
    return path


@pytest.fixture
def watch(browser: Browser, folder: Path) -> Iterator[Watched]:
    """Open pages, and fail if any of them complains, or asks for anything."""

    def page_of(name: str) -> Path:
        path = folder / f"{name}.html"
        if not path.exists():
            PAGES[name](path)
        return path

    watched = Watched(browser, page_of)
    yield watched
    watched.close()
