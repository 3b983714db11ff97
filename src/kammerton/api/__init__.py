# SPDX-License-Identifier: MIT
"""The verbs: score, compare, agree, check, show, convert, pack, report."""
