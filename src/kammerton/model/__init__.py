# SPDX-License-Identifier: MIT
"""What is scored and how: annotations, corpus, measures, protocols, scores."""
