# One virtual environment, filled from pinned, hashed requirements. `make` alone lists the targets.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
MAKEFLAGS += --no-builtin-rules

PYTHON ?= python3
VENV ?= .venv
UV ?= uv
# Any pip arguments that install torch, for example
# TORCH="torch==2.13.0 --index-url https://download.pytorch.org/whl/cpu"
TORCH ?= torch==2.13.0
MINIMUM_TORCH ?= torch==2.11.0
MINIMUM_VENV := .venv-minimum
WHEEL_VENV := .venv-wheel
PYTEST_ARGS ?= -n auto --maxprocesses 8 --dist worksteal
LOCK_ARGS ?=
RELOCK_ARGS ?=

# Tests start many processes. Each would compile the package to bytecode again.
unexport PYTHONDONTWRITEBYTECODE

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
LOCKED := $(PIP) install --no-deps --require-hashes -r

VENV_READY := $(VENV)/.stamp-venv
RUNTIME_READY := $(VENV)/.stamp-runtime
PACKAGE_READY := $(VENV)/.stamp-package
TORCH_READY := $(VENV)/.stamp-torch
DEV_READY := $(VENV)/.stamp-dev

.PHONY: help quickstart test test-all attacks test-fast test-minimum coverage lint docs wheel bench lock clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

quickstart: $(PACKAGE_READY) ## Install what a user needs and run the quickstart
	@$(BIN)/offnominal quickstart

test: export OMP_NUM_THREADS := 1
test: export OPENBLAS_NUM_THREADS := 1
test: $(PACKAGE_READY) $(DEV_READY) ## Lint, build the documentation, then run the test suite
	@# The documentation is built by one process, which leaves the other cores to the linters.
	@$(MAKE) --no-print-directory docs & $(MAKE) --no-print-directory lint || { wait; exit 1; }; wait $$!
	@$(BIN)/python -m pytest $(PYTEST_ARGS)

test-all: export OMP_NUM_THREADS := 1
test-all: export OPENBLAS_NUM_THREADS := 1
test-all: $(PACKAGE_READY) $(DEV_READY) ## Run every test: also the scientific checks and the whole attack, which take long
	@$(BIN)/python -m pytest $(PYTEST_ARGS) -m ""

attacks: export OMP_NUM_THREADS := 1
attacks: export OPENBLAS_NUM_THREADS := 1
attacks: export OFFNOMINAL_ATTACK_COUNTS := docs/measured/attacks.csv
attacks: $(PACKAGE_READY) $(DEV_READY) ## Run the whole attack and renew the table of the page "How it is tested"
	@$(BIN)/python -m pytest $(PYTEST_ARGS) -m "" tests/hostile
	@$(BIN)/python docs/tables.py

test-fast: export OMP_NUM_THREADS := 1
test-fast: export OPENBLAS_NUM_THREADS := 1
test-fast: $(PACKAGE_READY) $(DEV_READY) ## Run the quick part of the tests: the inner loop of development
	@$(BIN)/python -m pytest $(PYTEST_ARGS) -m "not slow and not hostile and not long"

test-minimum: export OMP_NUM_THREADS := 1
test-minimum: export OPENBLAS_NUM_THREADS := 1
test-minimum: ## Run the quick part of the tests with the oldest supported versions of all requirements
	@$(PYTHON) -m venv $(MINIMUM_VENV)
	@$(MINIMUM_VENV)/bin/python -m pip install -qq --require-hashes --no-deps -r requirements/minimum.txt
	@$(MINIMUM_VENV)/bin/python -m pip install -qq $(MINIMUM_TORCH)
	@$(MINIMUM_VENV)/bin/python -m pip install -qq --no-deps --no-build-isolation -e .
	@$(MINIMUM_VENV)/bin/python -m pytest $(PYTEST_ARGS) -m "not slow and not hostile and not long"

coverage: export OMP_NUM_THREADS := 1
coverage: export OPENBLAS_NUM_THREADS := 1
coverage: $(PACKAGE_READY) $(DEV_READY) ## Run the test suite and report the branch coverage of src
	@$(BIN)/python -m pytest $(PYTEST_ARGS) --cov --cov-report=term:skip-covered --cov-report=html:site/coverage

lint: $(PACKAGE_READY) $(DEV_READY) ## Check style, types, the import contract, names, circles of files and stubs
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@# On a busy machine the workers can fail to start: exit code 2.
	@$(BIN)/mypy --num-workers 2 || { [ $$? -eq 2 ] && $(BIN)/mypy; }
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python tools/check_names.py & $(BIN)/python tools/check_circles.py || { wait; exit 1; }; wait $$!
	@$(BIN)/python tools/check_stubs.py

docs: export NO_MKDOCS_2_WARNING := 1
docs: $(PACKAGE_READY) $(DEV_READY) ## Build the documentation into site/
	@$(BIN)/mkdocs build --strict

wheel: $(RUNTIME_READY) ## Build the wheel and the sdist into dist/, and try the wheel in an environment of its own
	@rm -rf dist $(WHEEL_VENV)
	@$(BIN)/python -m hatchling build -d dist
	@$(PYTHON) -m venv $(WHEEL_VENV)
	@$(WHEEL_VENV)/bin/python -m pip install -qq --no-deps --require-hashes -r requirements/runtime.txt
	@$(WHEEL_VENV)/bin/python -m pip install -qq --no-deps dist/*.whl
	@$(WHEEL_VENV)/bin/python -m pip check
	@# Isolated: neither the checkout nor PYTHONPATH is on the path.
	@$(WHEEL_VENV)/bin/python -I tools/smoke_test.py

bench: export OMP_NUM_THREADS := 1
bench: export OPENBLAS_NUM_THREADS := 1
bench: $(PACKAGE_READY) $(DEV_READY) ## Run the benchmarks and write benchmarks/RESULTS.md
	@$(BIN)/python -m benchmarks

lock: ## Pin the requirements again (needs uv; LOCK_ARGS=--upgrade takes newer versions)
	@command -v "$(UV)" >/dev/null || { echo "make lock needs uv: pip install uv, or pass UV=path/to/uv" >&2; exit 1; }
	@$(COMPILE) --extra dev -o requirements/dev.txt
	@$(COMPILE) --extra plot --extra web -c requirements/dev.txt -o requirements/runtime.txt
	@$(COMPILE) --extra train --extra plot --extra test --resolution lowest-direct -o requirements/minimum.txt
	@$(BIN)/python tools/watch_lock.py

relock: export OMP_NUM_THREADS := 1
relock: export OPENBLAS_NUM_THREADS := 1
relock: $(PACKAGE_READY) $(DEV_READY) ## Renew versions.lock: objects with changed code keep their version if their numbers are the same
	@$(BIN)/python tools/relock.py $(RELOCK_ARGS)

COMPILE = $(UV) pip compile pyproject.toml --quiet --universal --python-version 3.11 --fork-strategy fewest \
	--group build --override requirements/overrides.txt --generate-hashes --no-annotate \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" $(LOCK_ARGS)

clean: ## Remove the virtual environment, caches and build products
	@rm -rf $(VENV) $(MINIMUM_VENV) $(WHEEL_VENV) build dist site .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

$(VENV_READY):
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null || { \
	  echo "Offnominal needs Python 3.11, 3.12 or 3.13; $(PYTHON) is $$($(PYTHON) --version 2>/dev/null || echo missing)." >&2; \
	  echo "Name another one, for example: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	@echo "Making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(RUNTIME_READY): requirements/runtime.txt | $(VENV_READY)
	@echo "Installing requirements/runtime.txt"
	@$(LOCKED) requirements/runtime.txt
	@touch $@

$(PACKAGE_READY): pyproject.toml src/offnominal/_version.py | $(RUNTIME_READY)
	@echo "Installing offnominal"
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

# Before the test tools: stable-baselines3 needs torch, and must not be the one to choose its build.
$(TORCH_READY): Makefile | $(VENV_READY)
	@echo "Installing $(TORCH)"
	@$(PIP) install $(TORCH)
	@touch $@

$(DEV_READY): requirements/dev.txt | $(TORCH_READY)
	@echo "Installing requirements/dev.txt"
	@$(LOCKED) requirements/dev.txt
	@touch $@
