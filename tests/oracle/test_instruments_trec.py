# SPDX-License-Identifier: MIT
"""Retrieval against trec_eval: its own test topics, and random runs with ties."""

import json
import math
import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval

import kammerton
from kammerton.instruments import InstrumentOptions
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.columns import build_columns
from kammerton.instruments.retrieval import Answers, Queries, gather_rows
from kammerton.model.measure import name_items
from kammerton.model.task import Case
from oracle.covered import PYTREC_EVAL

AS_TREC = InstrumentOptions(ties="trec", undefined="trec")

Topics = dict[str, dict[str, float]]


@pytest.fixture(scope="module")
def folder() -> Path:
    root = os.environ.get("KAMMERTON_SHARED")
    if root is None:
        pytest.skip("KAMMERTON_SHARED names no folder with the test topics")
    return Path(root) / "data" / "instruments" / "trec"


def read(path: Path, topic: int, document: int, value: int) -> Topics:
    found: Topics = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = line.split()
        found.setdefault(cells[topic], {})[cells[document]] = float(cells[value])
    return found


def figures(scores: kammerton.Scores) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """Return the values of topics, and the means, by the address of the measure."""
    values: dict[str, dict[str, float]] = {}
    for row in scores.items.iter_rows(named=True):
        values.setdefault(row["item"], {})[f"{row['protocol']}/{row['measure']}"] = row["value"]
    means = {f"{r['protocol']}/{r['measure']}": r["value"] for r in scores.summary.iter_rows(named=True)}
    return values, means


def test_the_test_topics_of_trec_eval(folder: Path) -> None:
    expected = json.loads((folder / "pytrec_eval_expected.json").read_text(encoding="utf-8"))
    scores = kammerton.score(
        "instruments", folder / "qrels.test", folder / "results.test", options=AS_TREC, protocols="all"
    )
    values, means = figures(scores)
    for topic, theirs in expected["per_query"].items():
        for name, addresses in PYTREC_EVAL.items():
            for address in addresses:
                if name in theirs:
                    assert values[topic][address] == pytest.approx(theirs[name], abs=1e-9), (topic, name)
    for name, mean in expected["mean_over_queries_in_run_and_qrels"].items():
        for address in PYTREC_EVAL.get(name, ()):
            assert means[address] == pytest.approx(mean, abs=1e-9), name
    told = {"map": 0.1785, "recip_rank": 0.4064, "P_5": 0.2667, "ndcg": 0.4021, "set_F": 0.1194}
    for name, rounded in told.items():
        assert round(means[PYTREC_EVAL[name][-1]], 4) == rounded


def answers(qrels: Topics, run: Topics, **choices: Any) -> tuple[tuple[str, ...], Answers]:
    """Return the names of topics and what was returned for them."""
    options = InstrumentOptions(ties="trec", **choices)
    cases = []
    for topic in run:
        relevant = {document: int(grade) for document, grade in qrels[topic].items() if grade > 0}
        absent = tuple(document for document, grade in qrels[topic].items() if grade <= 0)
        grades = np.array(list(relevant.values()), dtype=np.int64)
        truth = InstrumentList(tuple(relevant), absent=absent, grades=grades, query=True)
        scores = np.array(list(run[topic].values()))
        cases.append(Case((truth,), InstrumentList(tuple(run[topic]), scores, ranked=True, query=True)))
    rows = name_items(gather_rows(build_columns(cases, options)), np.arange(len(cases)), list(run))
    queries = Queries(rows, options)
    return queries.names, queries.answers()


def test_every_place_of_the_test_topics(folder: Path) -> None:
    """Precision, recall and discounted gains at places that are no measures of their own."""
    expected = json.loads((folder / "pytrec_eval_expected.json").read_text(encoding="utf-8"))["per_query"]
    qrels, run = read(folder / "qrels.test", 0, 2, 3), read(folder / "results.test", 0, 2, 4)
    run = {topic: run[topic] for topic in run if topic in qrels}
    names, found = answers(qrels, run)
    for number, topic in enumerate(names):
        theirs, total = expected[topic], int(found.total[number])
        for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000):
            hits, places = found.precision_at(k)
            assert hits[number] / places[number] == pytest.approx(theirs[f"P_{k}"], abs=1e-9)
            if k != 30:
                assert hits[number] / total == pytest.approx(theirs[f"recall_{k}"], abs=1e-9)
            gains = answers(qrels, run, results=k)[1].discounted_gain()[0][number]
            ideal = sum(1 / math.log2(place + 1) for place in range(1, min(k, total) + 1))
            assert gains / ideal == pytest.approx(theirs[f"ndcg_cut_{k}"], abs=1e-9)
        at_total = found.precision_at(total)[0][number] / total
        assert at_total == pytest.approx(theirs["Rprec"], abs=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_random_topics(seed: int) -> None:
    """Graded qrels, scores that often tie, documents nobody judged, topics with nothing relevant."""
    draw = random.Random(seed)
    documents = [f"d{number:02}" for number in range(draw.randint(2, 60))]
    qrels: dict[str, dict[str, int]] = {}
    run: Topics = {}
    for topic in (f"t{number}" for number in range(draw.randint(1, 8))):
        judged = draw.sample(documents, draw.randint(1, len(documents)))
        qrels[topic] = {document: draw.choice((0, 0, 1, 1, 2, 3)) for document in judged}
        returned = draw.sample(documents, draw.randint(1, len(documents)))
        run[topic] = {document: draw.choice((0.1, 0.25, 0.3, 0.7, draw.random())) for document in returned}
    theirs = pytrec_eval.RelevanceEvaluator(
        qrels, {"map", "recip_rank", "ndcg", "set_P", "set_recall", "set_F", "P.5,10,15,20,50,100"}
    ).evaluate(run)
    references, estimates = {}, {}
    for topic, grades in qrels.items():
        relevant = {document: grade for document, grade in grades.items() if grade > 0}
        references[topic] = InstrumentList(
            tuple(relevant),
            absent=tuple(document for document, grade in grades.items() if not grade),
            grades=np.array(list(relevant.values()), dtype=np.int64),
            query=True,
        )
        scores = np.array(list(run[topic].values()))
        estimates[topic] = InstrumentList(tuple(run[topic]), scores, ranked=True, query=True)
    values, means = figures(
        kammerton.score(
            "instruments", references, {"system": estimates}, options=AS_TREC, ci=None, protocols="all"
        )
    )
    for name, addresses in PYTREC_EVAL.items():
        for address in addresses:
            for topic, values_of in theirs.items():
                ours = values[topic][address]
                assert (0.0 if ours is None else ours) == pytest.approx(values_of[name], abs=1e-9), address
            mean = sum(values_of[name] for values_of in theirs.values()) / len(theirs)
            assert means[address] == pytest.approx(mean, abs=1e-9), address
