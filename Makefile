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
# One more than there are cores: some tests wait for a browser or a kernel.
WORKERS ?= $(shell expr 1 + $$(getconf _NPROCESSORS_ONLN))
PYTHON ?= $(shell for each in $(CANDIDATES); do \
	$$each -c '$(RECENT)' 2>/dev/null && { echo $$each; break; }; done)

# Tests and notebooks start many processes: modules are compiled once for all of them.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo lab test check rehearse proposals conservation fuzz conformance languages crosscheck faults machine frozen pace growth batch mutants determinism bench quota hostile fleet container notebooks many-bodies many-items browser pictures format constraints

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

check: $(STAMP) ## format, lint, types, layers, module lengths, notebooks
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python .ci/module_lengths.py
	$(BIN)/python .ci/notebook_lint.py

rehearse: $(RUNS) ## whole migrations of every content folder in SITES=folder; SHAPED=1
	@test -d "$(SITES)" || { \
		echo "Name a folder of content folders: make rehearse SITES=/path" >&2; \
		exit 2; }
	$(BIN)/python -m tests.proofs.sites.rehearse $(if $(SHAPED),--shaped) "$(SITES)"

proposals: $(RUNS) ## the blocks that the rules make of every body in SITES=folder
	@test -d "$(SITES)" || { \
		echo "Name a folder of content folders: make proposals SITES=/path" >&2; \
		exit 2; }
	$(BIN)/python -m tests.proofs.converter proposals "$(SITES)"

conservation: $(STAMP) ## the account of random bodies, and of SITES=folder's, if named
	$(BIN)/python -m tests.proofs.converter conservation --count $(or $(COUNT),5000) $(SITES)

fuzz: $(STAMP) ## 100,000 mutated bodies through the converter, and too much of anything
	$(BIN)/python -m tests.proofs.converter extremes
	$(BIN)/python -m tests.proofs.converter fuzz --count $(or $(COUNT),100000)

conformance: $(RUNS) ## converter and stories against the official packages; SITES=folder
	$(BIN)/python -m tests.proofs.converter conformance $(OPTIONS)
	$(BIN)/python -m tests.proofs.sites.schema_check $(SITES)

languages: $(STAMP) ## each field in each language, read by the official client; needs Node
	$(BIN)/python -u -m tests.proofs.sites.languages $(OPTIONS)

crosscheck: $(RUNS) ## every body in SITES=folder against the official converter; needs Node
	@test -d "$(SITES)" || { \
		echo "Name a folder of content folders: make crosscheck SITES=/path" >&2; \
		exit 2; }
	$(BIN)/python -m tests.proofs.converter crosscheck "$(SITES)"

bench: $(RUNS) ## the speed of everything beside a rival or floor; OPTIONS="--only import"
	$(BIN)/python -m tests.proofs.bench.bench $(OPTIONS)

determinism: $(STAMP) ## drawn sites in drawn orders, sizes and interruptions; COUNT=300
	$(BIN)/python -m tests.proofs.sites.determinism --count $(or $(COUNT),300)

FAULTS ?=
faults: $(RUNS) ## every fault and kill at every request; FAULTS="--part kills"
	$(BIN)/python -m tests.proofs.soak faults $(FAULTS)

machine: $(STAMP) ## edits on both sides, decisions, faults, kills, rollbacks; COUNT=500
	$(BIN)/python -m tests.proofs.machine --count $(or $(COUNT),500) $(or $(OPTIONS),--seed 100000)

frozen: $(STAMP) ## requests, output and results of commands against BASE=revision; SITES=folder
	@test -n "$(BASE)" || { \
		echo "Name a revision to compare with: make frozen BASE=main" >&2; exit 2; }
	$(BIN)/python -m tests.proofs.frozen against $(OPTIONS) $(BASE) $(SITES)

growth: $(RUNS) ## time and memory at SIZES="1000 10000"; kept in FOLDER; OPTIONS="--one-collection"
	$(BIN)/python -m tests.proofs.growth.growth $(if $(SIZES),--sizes $(SIZES)) \
		$(if $(FOLDER),--folder "$(FOLDER)") $(OPTIONS)

batch: $(RUNS) ## convert --batch of 100 MB and 1 GB of rich text; OPTIONS="--megabytes 10"
	$(BIN)/python -m tests.proofs.growth.batch $(OPTIONS)

mutants: $(RUNS) ## safeguards taken out one by one: which fault notices; OPTIONS="--list"
	$(BIN)/python -m tests.proofs.mutants.mutants $(OPTIONS)

pace: $(RUNS) ## an import's time against the allowed rate; OPTIONS="--only 60/0"
	$(BIN)/python -m tests.proofs.budget.pace $(OPTIONS)

quota: $(RUNS) ## one budget for four processes, a storm of 429s, two imports; OPTIONS="--part two"
	$(BIN)/python -m tests.proofs.budget.quota $(OPTIONS)

hostile: $(STAMP) ## addresses that point inward, tokens told back; OPTIONS="--part addresses"
	$(BIN)/python -m tests.proofs.hostile.hostile $(OPTIONS)

FLEET := .venv-fleet
$(FLEET)/.installed: pyproject.toml $(RUNS)
	@test -x $(FLEET)/bin/pip || $(PYTHON) -m venv $(FLEET)
	$(FLEET)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[fleet]'
	@touch $@

fleet: $(STAMP) $(FLEET)/.installed ## many sites on Prefect, two machines; OPTIONS="--short --pictures DIR"
	$(BIN)/mypy --python-executable $(FLEET)/bin/python examples/fleet
	$(BIN)/python -u -m tests.proofs.fleet.fleet $(OPTIONS)

container: $(STAMP) ## the lines of the Dockerfile carried out and used; Linux, as root
	$(BIN)/python -u -m tests.proofs.container.container

notebooks: $(STAMP) ## every notebook in every way: comms on one thread, `jupyter execute`
	CMSMIG_EVERY_WAY=1 $(BIN)/python -m pytest -n logical tests/browser tests/run

many-bodies: $(STAMP) ## notebook 03 in a browser on a site of 10,000 bodies
	CMSMIG_BODIES=10000 CMSMIG_LONGEST_TASK=500 $(BIN)/python -m pytest -q -rP tests/browser/test_many_bodies.py

many-items: $(STAMP) ## the browser of notebook 01 on a site of 20,000 items
	CMSMIG_ITEMS=20000 $(BIN)/python -m pytest -q -rP tests/notebook/test_explorer.py -k large_site

browser: notebooks many-bodies many-items ## the three above, one after the other

pictures: $(STAMP) ## the pictures of README and docs, from the sample site
	$(BIN)/python -m tests.proofs.pictures docs/images

format: $(STAMP) ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix-only --quiet .

constraints: $(STAMP) ## versions and hashes of what is needed; OPTIONS=--upgrade
	$(PIP) --require-hashes -r $(CONSTRAINTS)
	$(BIN)/python .ci/pin.py $(OPTIONS)
