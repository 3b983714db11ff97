# SPDX-License-Identifier: MIT
"""Readers and writers of file formats; they know syntax, not music."""
