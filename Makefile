# Two commands do everything on a fresh machine: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# "beside" builds the browser client while pip installs the rest, and not as a part of that.
CLIENT :=
# Some machines tell Python to keep no compiled modules. Then each of the many processes that the
# tests start would compile NumPy's and Numba's again, which takes longer than what it is there for.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help python setup client tools demo serve test pytest faults check lint style layers types webtest bench docs docs-serve clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

setup: $(VENV)/.installed  ## make .venv with the package and every extra; LOCKED=1: exactly what requirements.lock says

python:
	@test -x $(BIN)/python || $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "error: Sandtable needs Python 3.11 or newer; try: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }

$(VENV)/.installed: pyproject.toml constraints.txt | python
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing Sandtable with every extra into $(VENV) ..."
	@$(PIP) --upgrade pip || true  # the one that comes with Python can take twice as long for the rest
	@$(BIN)/python -m pip uninstall --quiet --yes sandtable 2>/dev/null || true  # our name on the index until 0.1: two would double every game
	@test -z "$(LOCKED)" || $(PIP) --no-compile --require-hashes --requirement requirements.lock  # exact versions, checked
	@SANDTABLE_CLIENT=$(CLIENT) $(PIP) --no-compile $(if $(LOCKED),--no-deps --no-build-isolation,--constraint constraints.txt) --editable '.[all,dev]'
	@touch $@

client: $(if $(CLIENT),python,setup)  ## build the browser client if its sources have changed (needs Node)
	@$(firstword $(wildcard $(BIN)/python) $(PYTHON)) hatch_build.py

tools:  ## install Chromium and PostgreSQL for the tests where they are missing; without them some are skipped
	@command -v chromium chromium-browser google-chrome >/dev/null \
	  || { echo "Installing Chromium ..."; apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; } \
	  || echo "Chromium could not be installed; the browser tests will be skipped"
	@bash scripts/postgres.sh >/dev/null || echo "note: tests of PostgreSQL archives will be skipped"

demo: setup  ## play the published match-ups of every game beside the published figures
	@$(BIN)/sandtable demo

serve: client  ## play, watch, replay and analyse in the browser
	@$(BIN)/sandtable serve

test: python  ## everything that must pass: linters, types, layers, tests
	@$(MAKE) --no-print-directory --jobs 3 CLIENT=beside style client tools
	@bash scripts/beside.sh "$(MAKE) --no-print-directory layers types webtest" \
	  $(MAKE) --no-print-directory pytest

pytest: setup  ## all tests; at first one process imports everything, which three would compile each for itself
	@$(BIN)/python -m pytest --collect-only -qq >/dev/null || true
	@$(BIN)/python -m pytest --numprocesses 3 --dist loadscope --no-loadscope-reorder

faults: setup  ## a failing write, a full disk and a power cut at every operation, and twenty kills; `make test` tries some
	@SANDTABLE_FAULTS=all SANDTABLE_KILLS=20 $(BIN)/python -m pytest --numprocesses 2 --dist loadgroup \
	  tests/faults tests/arena/test_kills.py

check: style layers  ## the quick loop: style, types, and tests of what differs from main, or of one game: GAME=lucid
	@tests=$$($(BIN)/python scripts/changed_tests.py $(if $(GAME),--game $(GAME))) || exit 1; \
	  test -n "$$tests" || { echo "no test concerns what has changed"; exec $(MAKE) --no-print-directory types; }; \
	  bash scripts/beside.sh "$(MAKE) --no-print-directory types" \
	    $(BIN)/python -m pytest --numprocesses 2 --dist loadfile $$tests

lint: style layers types  ## ruff, the layers and mypy

style: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .

layers: setup
	@$(BIN)/lint-imports --no-logo

types: setup
	@$(BIN)/mypy

webtest: client  ## types and tests of the browser client, where Node has installed what they need
	@if test -d web/node_modules; then cd web && npm run --silent check -- --output human && npm run --silent test; fi

# These want to be told what to compare, or whom to attack: benchmarks/README.md.
WITH_WORDS := benchmarks/equal_time.py benchmarks/static_page.py benchmarks/web_attacks.py

bench: setup  ## every benchmark, its figures saved beside its script; wants a quiet machine
	@$(BIN)/sandtable bench --json benchmarks/bench.json --page benchmarks/README.md
	@for script in $(filter-out $(WITH_WORDS),$(shell grep -l '__main__' benchmarks/*.py)); do \
	  echo "== $$script"; $(BIN)/python $$script --json $${script%.py}.json || exit 1; done

docs: setup  ## build the documentation as a site, into site/; every warning is an error
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "the site is in site/index.html"

docs-serve: setup  ## show the documentation at http://127.0.0.1:8010/ while it is edited
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs serve --dev-addr 127.0.0.1:8010

clean:  ## remove what setup and runs have made
	rm -rf $(VENV) reports site .mypy_cache .ruff_cache .pytest_cache .hypothesis
