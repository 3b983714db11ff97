# SPDX-License-Identifier: MIT
"""
MIREX 2017 and 2018 with confidence intervals
=============================================

MIREX prints one number for each submission, and ranks by it. How much of the order would another choice of songs turn? The public
submissions of 2017 and 2018 were scored again on 13 sets of songs, with a confidence interval of each score and a test of each pair of systems.
The scores themselves are those that MIREX printed.
"""

# %%
# How the numbers were made
# -------------------------
# For each set of songs, with the references and the submissions of MIREX in one folder each::
#
#     kammerton compare chords Ground-Truth KBK2=2017-KBK2 WL1=2017-WL1 ... \
#         --show MajMin --show SeventhsBass --test permutation --resamples 4000
#
# A table has the score (per cent), its 95 % interval by bootstrap over songs, and letters: systems that share a letter do not differ
# significantly (permutation test on songs, p values of all pairs adjusted by Holm, .05).

import csv
import sys
from pathlib import Path

import matplotlib.pyplot as plt

with (Path(sys.argv[0]).parent / "mirex_rescored.csv").open(encoding="utf-8", newline="") as file:
    rows = list(csv.DictReader(file))


def table(year, songs, measure):
    """Return the rows of one table, the best system first."""
    return [row for row in rows if (row["year"], row["set"], row["measure"]) == (year, songs, measure)]


def show(year, songs, measure):
    """Print one table."""
    print(f"{songs} {year}, mirex2013/{measure}, {table(year, songs, measure)[0]['songs']} songs")
    for row in table(year, songs, measure):
        print(f"  {row['system']:6} {row['score']} {row['letters']:4} [{row['ci_low']}, {row['ci_high']}]")


# %%
# Three systems share the first place
# -----------------------------------
# On Isophonics 2018 the three best systems share the letter `a` by MajMin: 217 songs cannot tell them apart. By SeventhsBass the first place
# goes to another system, and again no single system is ahead of all others. Letters are of paired tests: two versions of one system, which fail on the
# same songs, can differ significantly by .2, where two unlike systems do not by 1.8.

show("2018", "Isophonics2009", "MajMin")
show("2018", "Isophonics2009", "SeventhsBass")

# %%
# The measure turns the ranking
# -----------------------------
# KBK2 leads four of the six sets of 2017 by MajMin. It estimates major and minor chords well and few sevenths, so that it falls behind where
# references have many: from first to fifth place on RWC-Popular. A ranking says little without its measure.

show("2017", "RWC-Popular", "MajMin")
show("2017", "RWC-Popular", "SeventhsBass")

# %%
# All sets
# --------
# Each column is a set of songs, each dot a system with its interval. Filled dots are in the leading group: the best system and those that share
# a letter with it.

sets = list(dict.fromkeys((row["year"], row["set"]) for row in rows))
names = sorted({row["system"] for row in rows})
colours = dict(zip(names, plt.get_cmap("tab20").colors, strict=False))
figure, axes = plt.subplots(2, 1, figsize=(11, 9), sharex=True, layout="constrained")
for axis, measure in zip(axes, ("MajMin", "SeventhsBass"), strict=True):
    for place, (year, songs) in enumerate(sets):
        ranked = table(year, songs, measure)
        for number, row in enumerate(ranked):
            score, low, high = (float(row[name]) for name in ("score", "ci_low", "ci_high"))
            leads = bool(set(row["letters"]) & set(ranked[0]["letters"]))
            axis.errorbar(
                place + (number - (len(ranked) - 1) / 2) * 0.13,
                score,
                yerr=[[score - low], [high - score]],
                fmt="o",
                markersize=5,
                color=colours[row["system"]],
                markerfacecolor=colours[row["system"]] if leads else "white",
                label=row["system"],
            )
    axis.set_ylabel(f"mirex2013/{measure} (per cent)")
    axis.grid(axis="y", alpha=0.3)
axes[1].set_xticks(range(len(sets)), [f"{songs}\n{year}" for year, songs in sets], rotation=60, ha="right")
handles = {}
for axis in axes:
    for handle, name in zip(*axis.get_legend_handles_labels(), strict=True):
        handles.setdefault(name, handle)
axes[0].legend(
    [handles[name] for name in names], names, ncols=len(names), fontsize="small", loc="lower center"
)
axes[0].set_ylim(55, 92)
plt.show()

# %%
# How often is the winner alone?
# ------------------------------
# Letters of the leading group, over all 13 sets:

for measure in ("MajMin", "SeventhsBass"):
    leading = {
        (year, songs): [row for row in ranked if set(row["letters"]) & set(ranked[0]["letters"])]
        for year, songs in sets
        for ranked in [table(year, songs, measure)]
    }
    alone = sum(len(group) == 1 for group in leading.values())
    print(f"{measure}: one system alone is first on {alone} of {len(sets)} sets")

# %%
# The command line prints the same letters for any two or more systems: see :doc:`/statistics`, and
# ``kammerton compare --help`` for tests and corrections.
