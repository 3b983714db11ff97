# SPDX-License-Identifier: MIT
"""Forms in which taxonomies are written."""
