# SPDX-License-Identifier: MIT
"""Fingerings scored note by note, as one writes it down from the definitions: what speed is measured by.

Files of one piece must have the same notes in the same order. Labels are those of PIG, spelled properly.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from pathlib import Path

__all__ = ["score"]

STEPS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
FINGERS = [finger for finger in range(-5, 6) if finger]
CHORD_S, LEGATO_S, EXACT_S, SLIDE = 0.03, 0.05, 1e-9, 2

Spans = Mapping[tuple[int, int], tuple[int, int]]

PARNCUTT: Spans = {
    (1, 2): (-5, 10), (1, 3): (-4, 12), (1, 4): (-3, 14), (1, 5): (-1, 15), (2, 3): (1, 5),
    (2, 4): (1, 7), (2, 5): (2, 10), (3, 4): (1, 4), (3, 5): (1, 7), (4, 5): (1, 5),
}  # fmt: skip
PIANOVAM: Spans = {
    (1, 2): (-5, 10), (1, 3): (-4, 11), (1, 4): (-3, 12), (1, 5): (1, 12), (2, 3): (1, 5),
    (2, 4): (1, 7), (2, 5): (1, 9), (3, 4): (1, 4), (3, 5): (1, 6), (4, 5): (1, 5),
}  # fmt: skip


@dataclass(frozen=True)
class Note:
    onset: float
    offset: float
    pitch: int
    hand: int
    label: str
    finger: int
    """The finger that strikes, negative in the left hand; 0 for none."""
    release: int
    """The finger that lets the key go."""


Piece = list[Note]


def read(path: Path) -> Piece:
    notes = []
    for line in path.read_text().splitlines():
        if line and not line.startswith("//"):
            _, onset, offset, pitch, _, _, channel, label = line.split("\t")
            fingers = [int(finger) for finger in re.findall(r"-?[1-5]", label)] or [0]
            played = float(onset), float(offset), midi(pitch), int(channel)
            notes.append(Note(*played, label, fingers[0], fingers[-1]))
    return notes


def midi(pitch: str) -> int:
    accidentals = pitch.count("#") - pitch.count("b")
    return STEPS[pitch[0]] + accidentals + 12 * (int(pitch.lstrip("ABCDEFG#b")) + 1)


def score(references: Path, estimates: Path) -> dict[str, float]:
    """Read two folders of PIG files and return the corpus figure of each measure."""
    pieces: dict[str, list[Piece]] = defaultdict(list)
    for path in sorted(references.iterdir()):
        pieces[path.name.rsplit("-", 1)[0]].append(read(path))
    means: dict[str, list[float]] = defaultdict(list)
    pooled: dict[str, Counter[str]] = defaultdict(Counter)
    fingers: Counter[tuple[str, int]] = Counter()
    for item, refs in pieces.items():
        est = read(estimates / f"{item}_est_fingering.txt")
        for name, rate in match_rates(est, refs):
            means[name].append(rate)
        for ref in refs:
            pooled["against"].update(against(est, ref))
            fingers.update(finger_counts(est, ref))
        pooled["pianovam/IFR"].update(judged_in_order(est))
        for suffix, of in (("", [est]), ("_references", refs)):
            for piece in of:
                pooled[f"playability/ifr_melodic{suffix}"].update(judged_steps(piece))
                pooled[f"playability/ifr_chord{suffix}"].update(judged_chords(piece))
    figures = {name: sum(rates) / len(rates) for name, rates in means.items()}
    figures |= shares(pooled.pop("against"))
    figures["strike/finger_F1"] = finger_f1(fingers)
    return figures | {name: counts["bad"] / counts["judged"] for name, counts in pooled.items()}


# --- match rates ---------------------------------------------------------------------------


def match_rates(est: Piece, refs: Sequence[Piece]) -> Iterator[tuple[str, float]]:
    complete = [ref for ref in refs if all(note.finger for note in ref)]
    assert complete, "somebody labelled every note"
    same_text = [[e.label == g.label for e, g in zip(est, ref, strict=True)] for ref in complete]
    yield "nakamura2020/M_gen", sum(map(sum, same_text)) / len(complete) / len(est)
    yield from (("nakamura2020/" + name, rate) for name, rate in closest_rates(est, complete))
    rates = []
    for ref in refs:
        labelled = [(e, g) for e, g in zip(est, ref, strict=True) if g.finger]
        if labelled:
            rates.append(sum(e.finger == g.finger for e, g in labelled) / len(labelled))
    yield "strike/M_gen", sum(rates) / len(rates)
    yield from (("strike/" + name, rate) for name, rate in closest_rates(est, refs))
    yield from pianovam_rates(est, refs)


def closest_rates(est: Piece, refs: Sequence[Piece]) -> Iterator[tuple[str, float]]:
    scored = [any(ref[n].finger for ref in refs) for n in range(len(est))]
    count = sum(scored)
    hits = [[bool(g.finger) and g.finger == e.finger for e, g in zip(est, ref, strict=True)] for ref in refs]
    hands: dict[bool, list[int]] = {True: [], False: []}
    for n, note in enumerate(est):
        finger = note.finger or next((ref[n].finger for ref in refs if ref[n].finger), 0)
        if finger:
            hands[finger > 0].append(n)
    yield "M_high", sum(max(sum(hit[n] for n in notes) for hit in hits) for notes in hands.values()) / count
    yield "M_high_piece", max(map(sum, hits)) / count
    yield "M_soft", sum(any(hit[n] for hit in hits) for n in range(len(est))) / count
    costs = (recombination_cost(notes, refs, hits, scored) for notes in hands.values())
    yield "M_rec", 1 - sum(costs) / count


def recombination_cost(
    notes: Sequence[int], refs: Sequence[Piece], hits: Sequence[Sequence[bool]], scored: Sequence[bool]
) -> int:
    """Return the least of mismatches and switches; one may switch after a note that is agreed on."""
    present = [z for z, ref in enumerate(refs) if any(note.finger for note in ref)]
    costs = dict.fromkeys(present, 0)
    for n, before in zip(notes, (None, *notes[:-1]), strict=True):
        reached = dict(costs)
        for z in present:
            if before is None:
                break
            own = refs[z][before].finger
            for other in present:
                theirs = refs[other][before].finger
                if other != z and (own == theirs or not own or not theirs):
                    reached[z] = min(reached[z], costs[other] + 1)
        costs = {z: cost + (scored[n] and not hits[z][n]) for z, cost in reached.items()}
    return min(costs.values())


def pianovam_rates(est: Piece, refs: Sequence[Piece]) -> Iterator[tuple[str, float]]:
    first = [(e, g) for e, g in zip(est, refs[0], strict=True) if g.finger]
    yield "pianovam/Accuracy", sum(abs(e.finger) == abs(g.finger) for e, g in first) / len(first)
    general, soft, notes = 0.0, 0, 0
    for n, note in enumerate(est):
        given = [abs(ref[n].finger) for ref in refs if ref[n].finger]
        if given:
            notes += 1
            general += given.count(abs(note.finger)) / len(given)
            soft += abs(note.finger) in given
    yield "pianovam/M_gen", general / notes
    yield "pianovam/M_high", soft / notes


def against(est: Piece, ref: Piece) -> Counter[str]:
    found: Counter[str] = Counter()
    for e, g in zip(est, ref, strict=True):
        if g.finger:
            found["labelled"] += 1
            found["covered"] += e.finger != 0
            found["same_hand"] += e.finger * g.finger > 0
            found["matched"] += e.finger == g.finger
    return found


def shares(counts: Counter[str]) -> dict[str, float]:
    return {
        "strike/accuracy": counts["matched"] / counts["labelled"],
        "strike/hand_accuracy": counts["same_hand"] / counts["labelled"],
        "strike/finger_accuracy": counts["matched"] / counts["same_hand"],
        "strike/coverage": counts["covered"] / counts["labelled"],
        "strike/covered_accuracy": counts["matched"] / counts["covered"],
    }


def finger_counts(est: Piece, ref: Piece) -> Counter[tuple[str, int]]:
    found: Counter[tuple[str, int]] = Counter()
    for e, g in zip(est, ref, strict=True):
        if g.finger:
            found["support", g.finger] += 1
            found["predicted", e.finger] += 1
            found["right", g.finger] += e.finger == g.finger
    return found


def finger_f1(counts: Counter[tuple[str, int]]) -> float:
    used = {f: counts["predicted", f] + counts["support", f] for f in FINGERS}
    scores = [2 * counts["right", finger] / count for finger, count in used.items() if count]
    return sum(scores) / len(scores)


# --- what a hand can play ------------------------------------------------------------------


def hand_of(note: Note) -> int:
    return (1 if note.finger < 0 else 0) if note.finger else note.hand


def is_bad(begin: Note, end: Note, spans: Spans, *, chord: bool = False) -> bool:
    first, second = abs(begin.finger), abs(end.finger)
    way = end.pitch - begin.pitch
    if first == second:
        return abs(way) > SLIDE
    if way == 0:
        return False
    span = -way if (first > second) != (hand_of(end) == 1) else way
    least, most = spans[min(first, second), max(first, second)]
    return not least <= span <= most or (chord and span < 0)


def tally(verdicts: Iterable[bool]) -> Counter[str]:
    found = list(verdicts)
    return Counter(judged=len(found), bad=sum(found))


def judged_in_order(piece: Piece) -> Counter[str]:
    hands = [[note for note in piece if hand_of(note) == hand] for hand in (0, 1)]
    steps = [(a, b) for notes in hands for a, b in pairwise(notes) if a.finger and b.finger]
    return tally(is_bad(a, b, PIANOVAM) for a, b in steps)


def groups_of(piece: Piece, hand: int) -> list[Piece]:
    """Group the notes of a hand that begin together; a grace note stands alone."""
    played = [note for note in piece if hand_of(note) == hand]
    notes = sorted(played, key=lambda note: (note.onset, note.offset > note.onset))
    groups: list[Piece] = []
    for note in notes:
        lasts = note.offset > note.onset and bool(groups) and groups[-1][0].offset > groups[-1][0].onset
        if lasts and note.onset - groups[-1][0].onset <= CHORD_S + EXACT_S:
            groups[-1].append(note)
        else:
            groups.append([note])
    return groups


def judged_steps(piece: Piece) -> Counter[str]:
    steps = []
    for hand in (0, 1):
        for before, after in pairwise(groups_of(piece, hand)):
            a, b = before[0], after[0]
            legato = b.onset - a.offset <= LEGATO_S + EXACT_S
            if len(before) == len(after) == 1 and legato and a.finger and b.finger:
                steps.append((replace(a, finger=a.release), b))
    return tally(is_bad(a, b, PARNCUTT) for a, b in steps)


def judged_chords(piece: Piece) -> Counter[str]:
    chords = []
    for hand in (0, 1):
        for group in groups_of(piece, hand):
            fingered = [note for note in group if note.finger]
            if len(fingered) > 1:
                chords.append(fingered)
    return tally(any(is_bad(a, b, PARNCUTT, chord=True) for a, b in combinations(c, 2)) for c in chords)
