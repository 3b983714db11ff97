# SPDX-License-Identifier: MIT
"""What all tests share: the settings of Hypothesis, and the data that are not in the repository."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("quick", deadline=None, print_blob=True, derandomize=True, max_examples=10)
settings.register_profile("large", deadline=None, print_blob=True, max_examples=100)
settings.register_profile("nightly", deadline=None, print_blob=True, max_examples=1000)
settings.load_profile("quick")  # --hypothesis-profile chooses another

# what runs tests in the background may have them ignore the signals that tests send, and their processes too
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session")
def shared_chords() -> Path:
    """Folder of real chord annotations with official results, from ``KAMMERTON_SHARED``."""
    root = os.environ.get("KAMMERTON_SHARED")
    if root is None:
        pytest.skip("KAMMERTON_SHARED names no folder with real annotations")
    return Path(root) / "data" / "chords"
