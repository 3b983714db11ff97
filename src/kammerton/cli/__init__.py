# SPDX-License-Identifier: MIT
"""The command line, one short file per verb."""
