# SPDX-License-Identifier: MIT
"""Documents: tables, terminal views, diagnostics."""
