# SPDX-License-Identifier: MIT
"""Instruments: lists of labels, taxonomies, and the protocols that score them."""
