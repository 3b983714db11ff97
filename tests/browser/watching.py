# SPDX-License-Identifier: MIT
"""Pages under watch: what they say on the console, and what they ask for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Dialog, Page, Route

__all__ = ["PATIENCE_MS", "Watched"]

PATIENCE_MS = 300_000
"""What is waited for comes sooner on any machine, or never."""


class Watched:
    """Opens pages; ``close`` fails if any of them complained, showed a dialog, or asked for anything."""

    def __init__(self, browser: Browser, page_of: Callable[[str], Path]) -> None:
        self._browser = browser
        self._page_of = page_of
        self._contexts: list[BrowserContext] = []
        self.told: list[str] = []
        self.asked: list[str] = []

    def path(self, name: str) -> Path:
        return self._page_of(name)

    def open(self, name: str, anchor: str = "", **choices: Any) -> Page:
        """Open a page; choices are those of a context, such as ``color_scheme``."""
        path = self._page_of(name)
        context = self._browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | choices))
        context.set_default_timeout(PATIENCE_MS)
        self._contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: self.told.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.told.append(f"error: {error}"))
        page.on("dialog", self._dismiss)

        def watch(route: Route) -> None:
            if route.request.url.partition("#")[0] == path.as_uri():
                route.continue_()
            else:
                self.asked.append(route.request.url)
                route.abort()

        context.route("**/*", watch)
        page.goto(path.as_uri() + anchor)
        return page

    def _dismiss(self, dialog: Dialog) -> None:
        self.told.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def close(self) -> None:
        for context in self._contexts:
            context.close()
        assert self.told == []
        assert self.asked == []
