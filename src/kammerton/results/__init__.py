# SPDX-License-Identifier: MIT
"""What users get: scores with their intervals, comparisons, agreement."""
