# SPDX-License-Identifier: MIT
"""What scores are worth: intervals, tests of differences, agreement, how much data is enough."""
