# SPDX-License-Identifier: MIT
"""Arrays only: intervals, ratios."""
