# SPDX-License-Identifier: MIT
"""Protocols that score lists of instruments."""
