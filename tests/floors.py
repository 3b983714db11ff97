# SPDX-License-Identifier: MIT
"""Print the lowest version of each package that pyproject.toml allows, as constraints for pip."""

import re
import sys
import tomllib
from itertools import chain
from pathlib import Path

__all__ = ["floors"]

_FLOOR = re.compile(r"([\w-]+)>=([\w.]+)")


def floors() -> list[str]:
    """Return what the program and its extras need, each at its lowest version."""
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    needs = [*project["dependencies"], *chain.from_iterable(project["optional-dependencies"].values())]
    found = {need: _FLOOR.fullmatch(need) for need in needs}
    without = [need for need, match in found.items() if match is None]
    if without:
        raise SystemExit(f"no lowest version: {', '.join(without)}")
    return [f"{match[1]}=={match[2]}" for match in found.values() if match is not None]


if __name__ == "__main__":
    sys.stdout.write("".join(f"{floor}\n" for floor in floors()))
