# SPDX-License-Identifier: MIT
"""Run the command line inside a test, on files that the test writes."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kammerton.cli import main

__all__ = ["Result", "Terminal"]


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        """Lines of talk."""
        return self.err.splitlines()


class Terminal:
    """A folder to work in, and the program to run there."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def write(self, **trees: Mapping[str, str]) -> None:
        """Write files: a keyword is a folder, its value text by name; `|` separates rows."""
        for tree, files in trees.items():
            for name, rows in files.items():
                path = self.folder / tree / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(rows.replace("|", "\n") + "\n", encoding="utf-8")

    def run(self, *arguments: str) -> Result:
        """Run in this process."""
        self._capsys.readouterr()
        code = main(arguments)
        captured = self._capsys.readouterr()
        return Result(code, captured.out, captured.err)

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
        """Run as a process of its own, where what matters is the process."""
        environment = {**os.environ, "PYTHONIOENCODING": "utf-8", **options.pop("env", {})}
        return subprocess.Popen(
            [sys.executable, "-m", "kammerton", *arguments], cwd=self.folder, env=environment, **options
        )

    def left(self) -> set[str]:
        """Names of all files below the folder."""
        return {p.relative_to(self.folder).as_posix() for p in self.folder.rglob("*") if p.is_file()}
