# SPDX-License-Identifier: MIT
"""What a task must keep so that everything else works on it; for the tests of those who write one."""

from kammerton.testing.conformance import NonconformityError, check_task, find_faults

__all__ = ["NonconformityError", "check_task", "find_faults"]
