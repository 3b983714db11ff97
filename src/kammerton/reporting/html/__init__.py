# SPDX-License-Identifier: MIT
"""The report: scores as one page that opens anywhere, and asks nobody for anything."""
