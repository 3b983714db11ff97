# SPDX-License-Identifier: MIT
"""Pages that explain codes, as tests try what stands on them."""

import re

from kammerton.reporting.explanations import pages


def codes(pattern: str) -> list[str]:
    """Return the codes that have a page and match a pattern."""
    return [code for code in pages() if re.fullmatch(pattern, code)]


def example(code: str) -> str:
    """Return the first block of a page: a file that triggers the code."""
    text = pages()[code].read_text(encoding="utf-8")
    block = re.findall(r"(?:^    .*\n)+", text, re.MULTILINE)[0]
    return re.sub(r"^    ", "", block, flags=re.MULTILINE)
