# SPDX-License-Identifier: MIT
"""How Sphinx builds the documentation: `make docs`."""

import sys
import warnings
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from reference_pages import write_reference  # noqa: E402 - it stands in this folder

write_reference(HERE / "reference")

project = "Kammerton"
author = "The Kammerton developers"
version = release = version_of("kammerton")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["build", "_templates"]
nitpicky = False
numpydoc_show_class_members = False
myst_heading_anchors = 3
# links to texts of the repository that are no pages; lexers that Pygments lacks, such as of .lab files
# "docutils": three classes of results, of which autosummary makes markup without a blank line
suppress_warnings = ["myst.xref_missing", "config.cache", "misc.highlighting_failure", "docutils"]

html_theme = "pydata_sphinx_theme"
html_title = "Kammerton"
html_context = {"default_mode": "auto"}
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True, "show_prev_next": False, "navbar_center": []}
html_sidebars = {"**": ["contents"]}
templates_path = ["_templates"]

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"make_",
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,
    "min_reported_time": 1e9,
    "abort_on_example_error": True,
}
warnings.filterwarnings("ignore", message=".*is non-interactive.*")

SEARCHES = {
    "paper": ("paper table", "latex table"),
    "training": ("gate", "training loop", "continuous integration"),
    "curating": ("agreement", "annotator agreement", "annotators agreement", "inter-annotator agreement"),
    "which_measure": ("which measure", "measure"),
    "data_sets": ("data sets", "datasets", "isophonics", "pig", "openmic-2018"),
    "migration": ("mir_eval", "scikit-learn", "musooevaluator"),
}
"""What people search for, and the page that should come first; several processes (`-j`) lose the index."""


def add_searches(_app: object, name: str, source: list[str]) -> None:
    """Put what people search for into the index of a page."""
    source[0] += "".join(f"\n```{{index}} ! {words}\n```\n" for words in SEARCHES.get(name, ()))


def setup(app: Any) -> None:
    """Register what Sphinx calls."""
    app.connect("source-read", add_searches)
