# SPDX-License-Identifier: MIT
"""Exit codes."""

DONE = 0
PARTIAL = 1
"""Items failed or are missing, a gate failed, or there are findings."""
USAGE = 2
NOTHING = 3
"""Nothing could be scored, or the run was ended before."""
INTERNAL = 4
OUTPUT = 5
"""Output could not be written."""
READER_GONE = 141
"""Standard output was closed by its reader; what shells report of programs that SIGPIPE ends."""
