# SPDX-License-Identifier: MIT
"""Readers of the files that lists of instruments come in."""
