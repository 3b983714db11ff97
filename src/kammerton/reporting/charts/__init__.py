# SPDX-License-Identifier: MIT
"""Charts of scores: Vega-Lite by Altair, drawn as SVG, PDF or PNG without a browser."""
