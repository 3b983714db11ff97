# SPDX-License-Identifier: MIT
"""Files of runs, for tests that compare them byte by byte."""

import json
from pathlib import Path

__all__ = ["files_of_run"]


def files_of_run(folder: Path) -> dict[str, bytes]:
    """Return the files of a run by name; of its record all but what phases took, which is never the same."""
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    record = json.loads(files["run.json"])
    del record["timing"]
    return {**files, "run.json": json.dumps(record).encode()}
