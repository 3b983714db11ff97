# SPDX-License-Identifier: MIT
"""Piano fingering: notes, files, match rates and playability."""
