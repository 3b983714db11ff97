# Everything runs in .venv, made on first use; nothing else is needed but Python 3.11+ and pip.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# kernels, grammars and formats: every branch is tested
empty :=
comma := ,
space := $(empty) $(empty)
EXACT_FILES := \
  arrays.py formats/* statistics/* results/* runs/* \
  chords/protocols/* chords/kernels.py chords/labels.py chords/respelling.py chords/templates.py \
  fingering/formats/* fingering/match_rates.py \
  instruments/formats/* instruments/protocols/* instruments/labels.py instruments/reading.py \
  instruments/columns.py instruments/retrieval.py \
  instruments/formulas.py instruments/evaluation.py instruments/kernels.py \
  instruments/taxonomy*.py
EXACT := $(subst $(space),$(comma),$(addprefix src/kammerton/,$(EXACT_FILES)))

# `make check` notes what the tests cover, which costs them a third more time
COVER =
# without compiled files each process that a test starts would compile the program again
unexport PYTHONDONTWRITEBYTECODE
PYTEST = $(BIN)/python -m pytest -q --numprocesses auto --dist loadfile $(COVER)

.PHONY: demo dist docs test test-slow test-nightly test-lowest test-pythons lint coverage check bench clean
.DELETE_ON_ERROR:

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/run.stamp: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[audio,report]'
	touch $@

# pip installs dependency groups from version 25.1 on
$(VENV)/check.stamp: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group check
	touch $@ $(VENV)/run.stamp

demo: $(VENV)/run.stamp  ## score the bundled example and songs made on the spot, and write a report
	$(BIN)/kammerton demo --report demo.html

test: $(VENV)/check.stamp  ## what is quick: every test that is not slow, and the laws with few examples
	$(PYTEST) -m 'not slow'

test-slow: $(VENV)/check.stamp  ## clusters, kills, browsers, big corpora; the laws with many examples
	$(PYTEST) $(if $(COVER),--cov-append) -o faulthandler_timeout=600 -m 'slow or hypothesis' --hypothesis-profile large

test-nightly: $(VENV)/check.stamp  ## what takes longer still: the laws with a thousand examples
	$(PYTEST) -m hypothesis --hypothesis-profile nightly

# the oldest versions that pyproject.toml allows, and what tries them
LOWEST = $(VENV)-lowest
OLD = tests/cli tests/golden tests/unit/formats tests/unit/runs tests/unit/scoring tests/unit/statistics

$(LOWEST)/stamp: pyproject.toml tests/floors.py
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python tests/floors.py >$(LOWEST)/floors.txt
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: \
	  --constraint $(LOWEST)/floors.txt --editable '.[audio,dask,gcs,pandas,remote,report,s3]' --group lowest
	touch $@

test-lowest: $(LOWEST)/stamp  ## a part of the quick tests, with the lowest versions of what we depend on
	$(LOWEST)/bin/python -m pytest -q --numprocesses auto --dist loadfile -m 'not slow' $(OLD)

test-pythons:  ## smoke tests with later Pythons, where they are installed
	@for version in 3.12 3.13; do \
	  if ! python$$version -c '' 2>/dev/null; then echo "Python $$version is not installed: not tried"; continue; fi; \
	  python$$version -m venv --clear $(VENV)-$$version || exit; \
	  python=$(VENV)-$$version/bin/python; \
	  $$python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1' || exit; \
	  $$python -m pip install --quiet --disable-pip-version-check --editable '.[audio,report]' --group lowest || exit; \
	  $$python -m pytest -q tests/golden tests/cli/test_score.py || exit; \
	done

lint: $(VENV)/check.stamp  ## style, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff check --preview --select CPY001 .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/pyright --verifytypes kammerton --ignoreexternal

coverage: $(VENV)/check.stamp  ## what the last `make check` covered
	$(BIN)/coverage report --fail-under=95
	$(BIN)/coverage report --fail-under=100 --include='$(EXACT)'

check: COVER = --cov --cov-report=
check: lint test test-slow coverage  ## what decides whether a change lands

bench: $(VENV)/check.stamp  ## measure against mir_eval, scikit-learn, hiclass and a plain program
	$(BIN)/python benchmarks/chords.py
	$(BIN)/python benchmarks/fingering.py
	$(BIN)/python benchmarks/instruments.py
	$(BIN)/python benchmarks/uncertainty.py speed
	$(BIN)/python benchmarks/fusion.py
	$(BIN)/python benchmarks/packs.py
	$(BIN)/python benchmarks/scaling.py 1000 10000

$(VENV)/docs.stamp: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group docs
	touch $@

docs: $(VENV)/docs.stamp  ## the documentation as a site, in docs/build
	MPLBACKEND=agg $(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/build

EXTRAS = audio dask gcs pandas remote report s3 train

dist: $(VENV)/check.stamp  ## wheel and source archive, tried in empty environments
	rm -rf dist $(VENV)-dist
	$(BIN)/python -m pip install --quiet --disable-pip-version-check build twine
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m twine check --strict dist/*
	@set -e; for extra in '' $(EXTRAS); do \
	  $(PYTHON) -m venv --clear $(VENV)-dist; \
	  $(VENV)-dist/bin/python -m pip install --quiet --disable-pip-version-check "$$(echo dist/*.whl)$${extra:+[$$extra]}"; \
	  (cd / && $(abspath $(VENV))-dist/bin/kammerton demo >/dev/null); \
	  echo "kammerton[$$extra]: $$(du -sh $(VENV)-dist | cut -f1)"; \
	done

clean:
	rm -rf dist $(VENV) $(VENV)-* docs/build docs/gallery docs/api docs/reference .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
