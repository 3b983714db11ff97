# SPDX-License-Identifier: MIT
"""Systems make annotations: from other annotations, or as trivial answers; above tasks and formats."""
