# SPDX-License-Identifier: MIT
"""DECIBEL from end to end, as the gallery shows it: what fusion makes of a recording and four bad sources."""

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[3] / "examples/plot_decibel_end_to_end.py"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*is non-interactive")
def test_fusion_gains_over_the_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("matplotlib", "soundfile"):
        pytest.importorskip(package)
    monkeypatch.setenv("MPLBACKEND", "agg")
    leads = runpy.run_path(str(EXAMPLE))["leads"]
    assert sorted(leads) == ["fused", "midi1", "midi2", "sheet1", "sheet2"]
    difference, low, high = leads["fused"]
    assert 0 < low < difference < high
    # the MIDI files are far worse than the recording, and do not spoil it
    assert max(leads["midi1"][2], leads["midi2"][2]) < -0.1
    best = max(leads["sheet1"][0], leads["sheet2"][0])
    assert difference > best - 0.04
