# Everything runs in .venv, made on first use; nothing else is needed but Python 3.11+ and pip.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# kernels, grammars and formats: every branch is tested
EXACT := src/kammerton/core/*,src/kammerton/formats/*,src/kammerton/chords/protocols/*,src/kammerton/chords/kernels.py,src/kammerton/chords/label_times.py,src/kammerton/chords/labels.py,src/kammerton/chords/respelling.py,src/kammerton/chords/time_rules.py,src/kammerton/chords/third_maps.py,src/kammerton/chords/bitmaps.py,src/kammerton/fingering/formats/*,src/kammerton/fingering/match_rates.py,src/kammerton/fingering/recombination.py,src/kammerton/statistics/*,src/kammerton/runs/*,src/kammerton/instruments/formats/*,src/kammerton/instruments/finishing.py,src/kammerton/instruments/assembling.py,src/kammerton/instruments/entries.py,src/kammerton/instruments/lookup.py,src/kammerton/instruments/protocols/*,src/kammerton/instruments/lists.py,src/kammerton/instruments/nodes.py,src/kammerton/instruments/columns.py,src/kammerton/instruments/shaping.py,src/kammerton/instruments/flat.py,src/kammerton/instruments/hierarchical.py,src/kammerton/instruments/lca.py,src/kammerton/instruments/ranking.py,src/kammerton/instruments/retrieval.py,src/kammerton/instruments/queries.py,src/kammerton/instruments/score_vectors.py,src/kammerton/instruments/formulas.py,src/kammerton/instruments/anatomy.py,src/kammerton/instruments/applicability.py,src/kammerton/instruments/encoding.py,src/kammerton/instruments/evaluation.py,src/kammerton/instruments/kernels.py,src/kammerton/instruments/taxonomy*.py,src/kammerton/instruments/taxonomy_readers/*,src/kammerton/instruments/label_maps.py,src/kammerton/instruments/small_tables.py,src/kammerton/instruments/shipped_files.py,src/kammerton/instruments/truth.py

.PHONY: demo test lint coverage check bench clean
.DELETE_ON_ERROR:

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/run.stamp: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

# pip installs dependency groups from version 25.1 on
$(VENV)/check.stamp: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group check
	touch $@ $(VENV)/run.stamp

demo: $(VENV)/run.stamp  ## score the bundled example
	$(BIN)/kammerton demo

test: $(VENV)/check.stamp  ## run every test, and note what it covers
	$(BIN)/coverage run -m pytest -q

lint: $(VENV)/check.stamp  ## style, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

coverage: $(VENV)/check.stamp  ## what the last `make test` covered
	$(BIN)/coverage report --fail-under=95
	$(BIN)/coverage report --fail-under=100 --include='$(EXACT)'

check: lint test coverage  ## all of it

bench: $(VENV)/check.stamp  ## measure against mir_eval, and a plain program, in one process
	$(BIN)/python benchmarks/chords.py
	$(BIN)/python benchmarks/fingering.py
	$(BIN)/python benchmarks/uncertainty.py speed

clean:
	rm -rf $(VENV) .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
