# SPDX-License-Identifier: MIT
"""Which measures are compared with what: what the cards of measures may claim.

The tests of each oracle compare the measures that stand here, no fewer and no others. A card that claims an
oracle without standing here fails, and so does one that stands here and does not say so.
"""

from typing import Final

__all__ = [
    "COVERED",
    "DECIBEL",
    "EVALUATOR_PAIRS",
    "HICLASS",
    "MIREX_RECALLS",
    "MIREX_SEGMENTATIONS",
    "MIR_EVAL",
    "NAKAMURA",
    "PYTREC_EVAL",
    "SKLEARN_GAINS",
    "SKLEARN_LISTS",
    "SKLEARN_VECTORS",
    "names_of",
]

MIREX_RECALLS: Final = ("Root", "MajMin", "MajMinBass", "Sevenths", "SeventhsBass")
MIREX_SEGMENTATIONS: Final = {
    "WorstSeg": "seg_worst",
    "MeanSeg": "seg_harmonic",
    "UnderSeg": "underseg",
    "OverSeg": "overseg",
}
"""Measures of ``mirex2013`` by the columns in which they are printed."""

MIREX_PRINTED: Final = frozenset(f"mirex2013/{name}" for name in (*MIREX_RECALLS, *MIREX_SEGMENTATIONS))
"""Of ``oracle/test_real_songs.py``."""

EVALUATOR_PAIRS: Final = frozenset(f"mirex2013/{name}" for name in (*MIREX_RECALLS, "Mirex2010"))
"""Of ``unit/chords/test_chord_label_pairs.py``."""

MIR_EVAL: Final = frozenset(
    (
        *("mir_eval/thirds", "mir_eval/thirds_inv", "mir_eval/triads", "mir_eval/triads_inv"),
        *("mir_eval/tetrads", "mir_eval/tetrads_inv", "mir_eval/root", "mir_eval/mirex"),
        *("mir_eval/majmin", "mir_eval/majmin_inv", "mir_eval/sevenths", "mir_eval/sevenths_inv"),
        *("mir_eval/underseg", "mir_eval/overseg", "mir_eval/seg"),
        *("decibel/CSR", "decibel/OvS", "decibel/UnS", "decibel/Seg"),
    )
)
"""Of ``oracle/test_mir_eval_songs.py``."""

DECIBEL: Final = frozenset(f"decibel/{name}" for name in ("CSR", "OvS", "UnS", "Seg"))
"""Of ``unit/chords/test_chord_time_cases.py``."""

NAKAMURA: Final = ("M_gen", "M_high", "M_soft", "M_rec")
"""Measures of ``nakamura2020`` that the authors' tool prints; of ``oracle/test_fingering_official.py``."""

PYTREC_EVAL: Final = {
    "map": ("open-mic-task1/AP", "open-mic-task2/AP"),
    "recip_rank": ("open-mic-task2/RR",),
    "ndcg": ("open-mic-task2/nDCG",),
    "set_P": ("open-mic-task1/P", "open-mic-task2/set_P"),
    "set_recall": ("open-mic-task1/R", "open-mic-task2/set_R"),
    "set_F": ("open-mic-task1/F", "open-mic-task2/set_F"),
    **{f"P_{k}": (f"open-mic-task2/P@{k}",) for k in (5, 10, 15, 20, 50, 100)},
}
"""Of ``oracle/test_instruments_trec.py``."""

SKLEARN_LISTS: Final = frozenset(
    f"open-mic-task1/{average}{which}" for average in ("", "micro_", "macro_") for which in "PRF"
)
SKLEARN_VECTORS: Final = frozenset(
    (
        *("scores/mAP", "scores/PR_AUC", "scores/ROC_AUC", "scores/LRAP", "open-mic-task1/AP"),
        *("scores/micro_mAP", "scores/micro_PR_AUC", "scores/micro_ROC_AUC"),
    )
)
SKLEARN_GAINS: Final = "open-mic-task2/nDCG"
"""Of ``oracle/test_instruments_sklearn.py``, all three."""

HICLASS: Final = {
    "micro": "kiritchenko2006",
    "macro": "open-mic-task1",
}
"""Protocols whose hP, hR and hF it has, by the average; of ``oracle/test_instruments_published.py``."""

COVERED: Final[dict[str, frozenset[str]]] = {
    "official per-song results of MIREX": MIREX_PRINTED,
    "MusOOEvaluator": EVALUATOR_PAIRS,
    "mir_eval": MIR_EVAL,
    "the DECIBEL evaluator": DECIBEL,
    "the authors' evaluation tool": frozenset(f"nakamura2020/{name}" for name in NAKAMURA),
    "pytrec_eval": frozenset(address for addresses in PYTREC_EVAL.values() for address in addresses),
    "scikit-learn": SKLEARN_LISTS | SKLEARN_VECTORS | {SKLEARN_GAINS},
    "hiclass": frozenset(f"{protocol}/h{which}" for protocol in HICLASS.values() for which in "PRF"),
}
"""Addresses of measures by the words with which cards name what they are compared with."""


def names_of(addresses: frozenset[str], protocol: str) -> set[str]:
    """Return the names of the measures of a protocol among addresses."""
    return {
        address.removeprefix(f"{protocol}/") for address in addresses if address.startswith(f"{protocol}/")
    }
