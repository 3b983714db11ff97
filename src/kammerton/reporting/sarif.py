# SPDX-License-Identifier: MIT
"""Problems of files as SARIF 2.1.0, which code hosts and editors read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from kammerton.errors import Diagnostic, printable
from kammerton.formats.remote import is_remote, shown_address
from kammerton.reporting.documents import render_json
from kammerton.reporting.explanations import page_of
from kammerton.version import __version__

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render_sarif(diagnostics: Sequence[Diagnostic], suppressed: Sequence[Diagnostic] = ()) -> str:
    """Return problems as one run; those that comments in the files ignore are suppressed results."""
    codes = sorted({problem.code for problem in (*diagnostics, *suppressed)})
    results = [_result(problem, codes) for problem in diagnostics]
    in_source = {"suppressions": [{"kind": "inSource"}]}
    results += [_result(problem, codes) | in_source for problem in suppressed]
    driver = {"name": "kammerton", "version": __version__, "rules": [_rule(code) for code in codes]}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return render_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(code: str) -> dict[str, Any]:
    title, text = page_of(code)
    rule: dict[str, Any] = {"id": code, "shortDescription": {"text": title}}
    return rule | ({"help": {"text": text, "markdown": text}} if text else {})


def _result(problem: Diagnostic, codes: Sequence[str]) -> dict[str, Any]:
    text = problem.message if problem.hint is None else f"{problem.message}\n{problem.hint}"
    return {
        "ruleId": problem.code,
        "ruleIndex": codes.index(problem.code),
        "level": problem.severity,
        "message": {"text": "\n".join(map(printable, text.split("\n")))},
        "locations": [] if problem.file is None else [_location(problem, problem.file)],
        "occurrenceCount": problem.count,
    }


def _location(problem: Diagnostic, file: str) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _address(file)}}
    if problem.line is not None:
        physical["region"] = {"startLine": problem.line}
        if problem.column is not None:
            physical["region"] |= {
                "startColumn": problem.column,
                "endColumn": problem.column + problem.length,
            }
    return {"physicalLocation": physical}


def _address(file: str) -> str:
    if is_remote(file):
        return shown_address(file)
    if os.path.isabs(file):  # noqa: PTH117 - a path of any system
        return Path(file).as_uri()
    return quote(os.fsencode(Path(file).as_posix()))
