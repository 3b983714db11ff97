# SPDX-License-Identifier: MIT
"""``python -m kammerton``."""

import sys

from kammerton.cli import main

if __name__ == "__main__":
    sys.exit(main())
