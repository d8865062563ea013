# Needs make and Python 3.11 or newer; everything else comes into .venv.

VENV := .venv
BIN := $(VENV)/bin
RUNS := $(VENV)/.installed
STAMP := $(VENV)/.installed-tools
CONSTRAINTS := .ci/constraints.txt
NEEDED := $(VENV)/needed.txt
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps
CANDIDATES := python3 python3.14 python3.13 python3.12 python3.11 python
RECENT := import sys; sys.exit(sys.version_info < (3, 11))
# Two more than there are cores: some tests wait for a browser or a kernel.
WORKERS ?= $(shell expr 2 + $$(getconf _NPROCESSORS_ONLN))
PYTHON ?= $(shell for each in $(CANDIDATES); do \
	$$each -c '$(RECENT)' 2>/dev/null && { echo $$each; break; }; done)

# Tests and notebooks start many processes: modules are compiled once for all of them.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo lab test check format bench conformance soak converter sites constraints

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' \
		$(firstword $(MAKEFILE_LIST))

# What the commands and notebooks need; nothing that only developing needs.
$(RUNS): pyproject.toml $(CONSTRAINTS)
	@test -n "$(PYTHON)" || { \
		echo "Python 3.11 or newer was not found: install it, or name it with" \
			"make PYTHON=/path/to/python3." >&2; exit 1; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV) || { \
		rm -rf $(VENV); \
		echo "$(PYTHON) cannot make environments: on Debian and Ubuntu install" \
			"python3-venv (apt-get install python3-venv), then run this again." >&2; \
		exit 1; }
	@sed '/^# for tests and checks alone/,$$d' $(CONSTRAINTS) > $(NEEDED)
	$(PIP) --require-hashes -r $(NEEDED)
	$(PIP) --no-build-isolation -e .
	@touch $@

$(STAMP): $(RUNS)
	@sed '/^# for make constraints alone/,$$d' $(CONSTRAINTS) > $(NEEDED)
	$(PIP) --require-hashes -r $(NEEDED)
	@touch $@

demo: $(RUNS) ## a whole migration of a sample site, in two minutes
	$(BIN)/cmsmig demo

lab: $(RUNS) ## JupyterLab on the project's notebooks; starts a project where none is
	@test -n "$$CMSMIG_PROJECT" || test -e migration/cmsmig.toml || $(BIN)/cmsmig init
	$(BIN)/cmsmig lab

test: $(STAMP) ## all the tests, on all cores; OPTIONS="--random-order"
	$(BIN)/python -m pytest -n $(WORKERS) --maxprocesses 8 $(OPTIONS)

check: $(STAMP) ## format, lint, types, layers, module lengths, notebooks, words
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python .ci/module_lengths.py
	$(BIN)/python .ci/notebook_lint.py
	$(BIN)/python .ci/words.py

conformance: $(RUNS) ## converter, stories, front end and redirects against the official packages and hosts; SITES=folder
	$(BIN)/python -m tests.proofs.converter conformance $(OPTIONS)
	$(BIN)/python -m tests.proofs.sites.schema_check $(SITES)
	$(BIN)/python -m tests.proofs.sites.front_end $(SITES)
	$(BIN)/python -m tests.proofs.redirects.redirects $(SITES)

bench: $(RUNS) ## the speed of everything beside a rival or floor; OPTIONS="--only import"
	$(BIN)/python -m tests.proofs.bench.bench $(OPTIONS)

FLEET := .venv-fleet
$(FLEET)/.installed: pyproject.toml $(RUNS)
	@test -x $(FLEET)/bin/pip || $(PYTHON) -m venv $(FLEET)
	$(FLEET)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[fleet]'
	@touch $@

soak: $(STAMP) $(if $(filter fleet,$(KIND)),$(FLEET)/.installed) ## a long proof, such as KIND=faults; OPTIONS="--slice 1/50"
	$(BIN)/python -um tests.proofs.soak $(or $(KIND),--help) $(OPTIONS)

converter: $(STAMP) ## KIND=fuzz, extremes, conservation or crosscheck (Node); SITES=folder
	$(BIN)/python -m tests.proofs.converter $(or $(KIND),conservation) $(OPTIONS) $(SITES)

sites: $(STAMP) ## KIND=rehearse: whole migrations of SITES=folder; or languages (Node)
	$(BIN)/python -um tests.proofs.sites.$(or $(KIND),rehearse) $(OPTIONS) $(SITES)

format: $(STAMP) ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix-only --quiet .

constraints: $(STAMP) ## versions and hashes of what is needed; OPTIONS=--upgrade
	$(PIP) --require-hashes -r $(CONSTRAINTS)
	$(BIN)/python .ci/pin.py $(OPTIONS)
