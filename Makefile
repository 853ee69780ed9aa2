# Weiwo. `make help` tells what there is. Everything sets itself up in .venv; nothing else is touched.
SHELL := /bin/sh
VENV ?= .venv
BIN := $(VENV)/bin
PIP = $(VENV)/bin/python -m pip install --quiet --disable-pip-version-check
PYTHON ?= $(shell for p in python3.14 python3.13 python3.12 python3.11 python3 python; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
# Tests wait as much as they work: one worker more than processors.
WORKERS ?= $(shell $(BIN)/python -c "import os; print((os.cpu_count() or 1) + 1)")
export WEIWO_QUESTION = $(value Q)
# Tests start hundreds of processes: where bytecode may not be kept, each would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help ask check test test-lowest test-all budget torture attack lint types product-types benchmark-types bench guards dev page result-schema page-shots format clean

help: ## Show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Weiwo needs Python 3.11 or newer; none was found on the PATH." >&2; exit 1; }
	@echo "Setting up $(VENV) (once) …" >&2
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml hatch_build.py | $(VENV)/bin/python
	@$(PIP) --upgrade "pip>=25.1"
	@$(PIP) -e ".[documents,tables]"
	@touch $@

# All in one go, what `.installed` has too: who sets this up first waits for pip once.
$(VENV)/.developed: pyproject.toml hatch_build.py | $(VENV)/bin/python
	@echo "Adding the development tools (once) …" >&2
	@$(PIP) --upgrade "pip>=25.1"
	@$(PIP) -e ".[postgres,documents,tables,mcp,oidc]" --group dev $(ALSO:%=--group %)
	@touch $(VENV)/.installed $@

ask: $(VENV)/.installed ## Answer a question: make ask Q="Who was older, …?"
	@test -n "$$WEIWO_QUESTION" || { echo 'usage: make ask Q="your question"' >&2; exit 2; }
	@$(BIN)/weiwo ask -- "$$WEIWO_QUESTION"

check: $(VENV)/.developed ## Check what takes a minute: style, layers, types and the unit tests that start no process
	@$(MAKE) --no-print-directory -j 3 lint product-types benchmark-types
	@$(BIN)/python -m pytest tests/unit -n auto --dist worksteal -m "not processes and not long and not trial" --hypothesis-profile dev

test: $(VENV)/.developed ## Run the unit and integration tests; PARTS="tests/page tests/clients" adds those
	@$(BIN)/python -m pytest tests/unit tests/integration $(PARTS) -m "not trial" -n $(WORKERS) --dist worksteal

test-lowest: $(VENV)/.developed ## Run the tests of the graph and of clients in Python with the lowest LangGraph that is allowed
	@$(BIN)/python -c 'import re, tomllib; print(*(re.sub(r"[>]=([\d.]+).*", r"==\1", one) for one in tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"] if one.startswith("langgraph")))' \
		| xargs $(PIP) --upgrade --no-deps --target $(VENV)/lowest
	@PYTHONPATH=$(VENV)/lowest $(BIN)/python -m pytest tests/unit/graph tests/clients/test_library.py tests/clients/test_messages.py tests/clients/test_supervisor.py tests/clients/test_sync_users.py -m "not trial" -n $(WORKERS) --dist worksteal

test-all: $(VENV)/.developed ## Run every test, then the torture and the attack (half an hour and more)
	@$(PIP) --group providers
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal
	@$(MAKE) --no-print-directory torture attack

budget: $(VENV)/.developed ## Print the lines of each room and other counts, and how far they grew since the baseline
	@$(BIN)/python -m tests.support.budget

torture: $(VENV)/.developed ## Kill runs at every step, on SQLite and Postgres, and resume them (some minutes)
	@$(BIN)/python -m tests.torture

attack: $(VENV)/.developed ## Attack clients, pages, files, endpoints and storage on loopback (some minutes); print what got through
	@$(BIN)/python -m tests.attack

lint: $(VENV)/.developed ## Check style, formatting, the layers and the declared packages
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@$(BIN)/deptry .

types: product-types benchmark-types ## Check types

product-types: $(VENV)/.developed
	@$(BIN)/mypy

benchmark-types: product-types # whose cache it shares
	@$(BIN)/mypy --config-file benchmarks/mypy.ini benchmarks/*.py

bench: $(VENV)/.developed ## Print the figures of the README and the guards; DATA="folder …" adds those over public sets
	@for b in complexity start overhead load web thrift; do echo "== $$b"; $(BIN)/python benchmarks/$$b.py || exit 1; done
	@for b in asserted retrieval routing; do test -z "$(DATA)" || { echo "== $$b"; $(BIN)/python benchmarks/$$b.py $(DATA) || exit 1; }; done
	@$(MAKE) --no-print-directory guards

guards: $(VENV)/.developed ## Print what may not get worse, beside goal and bound; DATA="folder …" adds public sets
	@echo "== guards" && $(BIN)/python benchmarks/guards.py $(DATA)

dev: $(VENV)/.developed ## Open the graph on a local LangGraph server, for Studio
	@LANGGRAPH_CLI_NO_ANALYTICS=1 $(BIN)/langgraph dev --n-jobs-per-worker 10

page: ## Build the page of `weiwo serve` from app/page/src (needs Node 20 and npm)
	@cd app/page && npm ci --ignore-scripts --no-audit --no-fund --silent && npm run --silent check && npm run --silent build

result-schema: $(VENV)/.developed ## Write app/result.schema.json and the page's result.ts from state/result.py
	@$(BIN)/python -m tests.support.result_schema

page-shots: $(VENV)/.developed ## Write the page's states as PNG into page-shots/, by Chromium
	@$(BIN)/python -m tests.page.shots page-shots

format: $(VENV)/.developed ## Format the code
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format .

clean: ## Remove .venv and caches
	@rm -rf $(VENV) .editable .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .langgraph_api
