# Two commands do everything on a fresh machine with Python 3.11 or newer: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PEERS := .venv-peers
BUCKET := .venv-bucket
TRAINING := .venv-training
PIP := -m pip install --quiet --disable-pip-version-check --no-deps
INSTALL := $(BIN)/python $(PIP)

.PHONY: help demo quick test test-faults test-security test-browser test-external test-hosts test-postgres lint types unit bench encoder docs pictures wheel lock clean

help:
	@echo "make demo   set up and run the product on sample data"
	@echo "make quick  set up and run the tests that need no process, model or index: half a minute"
	@echo "make test   set up and run every check: format, lint, types, tests, docs"
	@echo "make test-faults  fault every side effect, damage every file, crowd and kill processes: the whole suites of which"
	@echo "            make test runs a slice"
	@echo "make test-security  the whole security suite, with fuzzing"
	@echo "make test-browser  the inspector's pages in Chromium, which must be installed"
	@echo "make test-external  run against QMD itself, which it installs first (needs the npm registry)"
	@echo "make test-hosts  run inside the real Claude Code, Codex, OpenClaw and MCP Inspector, which it installs first"
	@echo "            (needs the npm registry; no model, no key: a mock model answers on loopback)"
	@echo "make test-postgres  the tests of the ledger and of every feature over PostgreSQL, which it installs first;"
	@echo "            crashes of the server and of a replica pair; an index in a bucket of a local S3 server"
	@echo "make bench  run the benchmarks and write docs/benchmarks.md; DATA=folder of public data,"
	@echo "            ONLY=\"speed capture\" parts, MEMORIES=\"1000 1000000\" sizes of the speed benchmark"
	@echo "make encoder  train the encoder again (needs an accelerator); DATA=folder with further sets, DEV=folder of"
	@echo "            public data to evaluate on, DICTIONARY=CC-CEDICT, FREQUENCIES=jieba's dict.txt;"
	@echo "            training/README.md explains it"
	@echo "make wheel  build the package into dist/, for pip, uv tool or pipx"
	@echo "make docs   write the reference pages and the plugins' generated files from the code"
	@echo "make pictures  take the README's screenshots of the inspector in Chromium"
	@echo "make lock   pin the dependencies again (needs uv)"
	@echo "make clean  remove the virtual environment and caches"

demo: $(VENV)/runtime.stamp
	@$(BIN)/satchel demo
	@echo "here, satchel is $(BIN)/satchel"

test: lint types unit

quick: $(VENV)/dev.stamp
	$(BIN)/pytest -n 2 --dist worksteal -m "not slow"

lint: $(VENV)/dev.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/dev.stamp
	$(BIN)/mypy

unit: $(VENV)/dev.stamp
	$(BIN)/pytest -n 2 --dist worksteal

test-faults: $(VENV)/dev.stamp
	SATCHEL_TEST_FULL=1 $(BIN)/pytest -n 2 --dist worksteal tests/faults

# What cannot be installed is not tested with, and its tests say so.
test-security: $(VENV)/dev.stamp
	$(INSTALL) --require-hashes -r requirements/security.txt || echo "atheris cannot be installed here: no coverage-guided fuzzing"
	$(INSTALL) --require-hashes -r requirements/contract.txt || echo "schemathesis cannot be installed here: no requests from the OpenAPI document"
	SATCHEL_TEST_FULL=1 $(BIN)/pytest -n 2 --dist worksteal tests/security

test-browser: $(VENV)/dev.stamp
	$(INSTALL) --require-hashes -r requirements/browser.txt
	$(BIN)/pytest tests/browser || $(BIN)/pytest tests/browser --last-failed

# The programs stay in .external; a second run uses what is installed.
test-external: $(VENV)/dev.stamp
	$(BIN)/python external/install.py .external qmd
	$(BIN)/pytest external/qmd

# Hosts wait for hooks and servers by their own clocks, which a busy machine can miss: what fails is run once more.
test-hosts: $(VENV)/dev.stamp
	$(BIN)/python external/install.py .external hosts
	$(BIN)/pytest external/hosts || $(BIN)/pytest external/hosts --last-failed

# Every test that opens a ledger, on a ledger in PostgreSQL; then what only PostgreSQL has. One server for each run.
OVER_POSTGRES := $(addprefix tests/adapters/,test_ledger_contract.py test_ledger_attention.py test_ledger_transfer.py \
	test_observations_contract.py test_passages_contract.py test_index_contract.py) $(addprefix tests/,attention conversations \
	documents episodes explaining facts graph importing maintenance memories observations packing recall routing turns)
test-postgres: $(VENV)/dev.stamp $(BUCKET)/bucket.stamp
	$(INSTALL) --require-hashes -r requirements/postgres.txt
	$(BIN)/pytest -n 2 --dist worksteal -p tests.postgres.plugin $(OVER_POSTGRES)
	$(BIN)/pytest tests/postgres
	PATH="$(CURDIR)/$(BUCKET)/bin:$$PATH" $(BIN)/pytest tests/bucket

$(BUCKET)/bucket.stamp: requirements/bucket.txt
	$(PYTHON) -m venv --clear $(BUCKET)
	$(BUCKET)/bin/python $(PIP) --require-hashes -r requirements/bucket.txt
	@touch $@

# Peers are measured in the same process as Satchel, so both share a virtual environment of their own.
bench: $(PEERS)/peers.stamp
	$(PEERS)/bin/python -m bench.run $(if $(DATA),--data $(DATA)) $(ONLY:%=--only %) $(MEMORIES:%=--memories %)
	$(PEERS)/bin/python -m bench.report.page

# The weights are part of the repository; this is the way to make them again.
encoder: $(TRAINING)/training.stamp
	$(TRAINING)/bin/python -m training prepare --out build/encoder/prepared $(if $(DATA),--data $(DATA)) $(if $(DEV),--dev $(DEV)) \
	  --dictionary $(DICTIONARY) --frequencies $(FREQUENCIES)
	$(TRAINING)/bin/python -m training train --prepared build/encoder/prepared --out build/encoder/labelled
	$(TRAINING)/bin/python -m training train --prepared build/encoder/prepared --out build/encoder/taught --plan '{"taught": 1.0}'
	$(TRAINING)/bin/python -m training mean --trained build/encoder/labelled --trained build/encoder/taught --out build/encoder/mean
	$(TRAINING)/bin/python -m training chinese --prepared build/encoder/prepared --trained build/encoder/mean --out build/encoder/whole
	$(TRAINING)/bin/python -m training export --prepared build/encoder/prepared --trained build/encoder/whole

docs: $(VENV)/dev.stamp
	$(BIN)/python docs/generate.py
	$(BIN)/python plugins/generate.py

# The README's screenshots, in the installed Chromium.
pictures: $(VENV)/dev.stamp
	$(INSTALL) --require-hashes -r requirements/browser.txt
	$(BIN)/python docs/pictures/inspector.py

wheel: $(VENV)/runtime.stamp
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist .

# A venv is made once; each list of requirements is installed when it changes, hashes checked, and compiled.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Satchel needs Python 3.11 or newer; set PYTHON=/path/to/it"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/runtime.stamp: requirements/runtime.txt pyproject.toml | $(VENV)/bin/python
	$(INSTALL) --require-hashes -r requirements/runtime.txt
	$(INSTALL) --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q src
	@touch $@

$(VENV)/dev.stamp: requirements/dev.txt $(VENV)/runtime.stamp
	$(INSTALL) --require-hashes -r requirements/dev.txt
	@touch $@

# If the peers cannot be installed, only the plain peers, which need nothing more, are measured.
$(PEERS)/peers.stamp: requirements/peers.txt requirements/dev.txt pyproject.toml
	$(PYTHON) -m venv --clear $(PEERS)
	$(PEERS)/bin/python $(PIP) --require-hashes -r requirements/peers.txt \
		|| { echo "the peers cannot be installed here and are left out"; $(PEERS)/bin/python $(PIP) --require-hashes -r requirements/dev.txt; }
	$(PEERS)/bin/python $(PIP) --no-build-isolation --editable .
	@$(PEERS)/bin/python -m compileall -q src
	@touch $@

# PyTorch is taken as pip finds it, because its builds differ by accelerator.
$(TRAINING)/training.stamp: requirements/dev.txt pyproject.toml
	$(PYTHON) -m venv --clear $(TRAINING)
	$(TRAINING)/bin/python $(PIP) --require-hashes -r requirements/dev.txt
	$(TRAINING)/bin/python $(PIP) --no-build-isolation --editable .
	$(TRAINING)/bin/python -m pip install --quiet --disable-pip-version-check "torch>=2.8"
	@touch $@

LOCK := uv pip compile --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-header --no-annotate --quiet
lock:
	$(LOCK) pyproject.toml --group build --output-file requirements/runtime.txt
	$(LOCK) pyproject.toml --all-extras --group dev --output-file requirements/dev.txt
	$(LOCK) --group external --output-file requirements/external.txt
	$(LOCK) --group security --output-file requirements/security.txt
	$(LOCK) --group contract --constraint requirements/dev.txt --output-file requirements/contract.txt
	$(LOCK) --group postgres --constraint requirements/dev.txt --output-file requirements/postgres.txt
	$(LOCK) --group bucket --output-file requirements/bucket.txt
	$(LOCK) --group browser --output-file requirements/browser.txt
	$(LOCK) pyproject.toml --all-extras --group peers --output-file requirements/peers.txt

clean:
	rm -rf $(VENV) $(PEERS) $(BUCKET) $(TRAINING) build .mypy_cache .ruff_cache .pytest_cache .hypothesis .external dist
