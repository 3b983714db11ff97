# SPDX-License-Identifier: MIT
"""What figures are worth: intervals, tests of differences, agreement, how much data is enough."""
