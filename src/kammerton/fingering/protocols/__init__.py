# SPDX-License-Identifier: MIT
"""The rules of each protocol, one file per protocol."""
