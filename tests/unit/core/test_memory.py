# SPDX-License-Identifier: MIT
import os
import platform
import subprocess
import sys

import pytest

SCRIPT = """
import resource
import sys
import numpy as np
from kammerton.arrays import keep_freed_memory

if sys.argv[1:]:
    keep_freed_memory()

def cleared_pages():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    columns = [np.ones(1 << 16) for _ in range(8)]
    del columns
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

print([cleared_pages() for _ in range(10)][-1])
"""


def cleared(*arguments: str) -> int:
    """Return the pages that the system clears when 4 MiB are taken that were there before."""
    command = [sys.executable, "-c", SCRIPT, *arguments]
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "GLIBC_"))}
    return int(subprocess.run(command, check=True, capture_output=True, env=plain).stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_memory_that_was_freed_is_taken_again() -> None:
    assert cleared("keep") < 100 < cleared()
