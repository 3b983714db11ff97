# SPDX-License-Identifier: MIT
"""The README as a package index shows it: links that hold outside the repository."""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?://|#|mailto:)([^)\s]+)\)")


def with_absolute_links(text: str, repository: str | None) -> str:
    """Return Markdown whose relative links lead to a repository; without one, only their text stays."""

    def absolute(link: re.Match[str]) -> str:
        picture, shown, place = link.groups()
        if repository is None:
            return "" if picture else shown
        return f"{picture}[{shown}]({repository.rstrip('/')}/{'raw' if picture else 'blob'}/main/{place})"

    return _LINK.sub(absolute, text)


class ReadmeHook(MetadataHookInterface):
    """Fill in the field ``readme``."""

    def update(self, metadata: dict[str, object]) -> None:
        """Read README.md; where the repository is stands in ``[project.urls]``, once it has an address."""
        urls = self.config.get("urls", {})
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": with_absolute_links(text, urls.get("repository")),
        }
