# SPDX-License-Identifier: MIT
"""Readers and writers of lists of instruments."""
