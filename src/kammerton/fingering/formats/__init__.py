# SPDX-License-Identifier: MIT
"""Readers and writers of fingerings."""
