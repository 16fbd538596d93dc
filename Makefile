# Makegood's verbs. `make` lists them; `make test PYTHON=python3.13` does the same on another Python.
.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

PYTHON ?= python3
RUNTIME := 3.13# the Lambda runtime's Python; `make build` needs one of that version
UV := 0.13.9# resolves the locks; nothing else uses it
WORKERS ?= 2

# Environments: one per purpose, because their pins clash, and per Python version; a stamp carries the key of the lock.
# (tag_of: the minor version of a Python that runs and is new enough, else nothing)
tag_of = $(if $(1),$(shell $(1) -c 'import sys; v = sys.version_info[:2]; v >= (3, 11) and print("%d.%d" % v)' 2>/dev/null))
ifeq ($(call tag_of,$(PYTHON)),)
  override PYTHON := $(shell tools/find-python $(patsubst python%,%,$(notdir $(PYTHON))))
endif
TAG := $(call tag_of,$(PYTHON))
ifeq ($(TAG),)
  $(error No Python to work with: say `make PYTHON=/path/to/python3.11` (3.11 or newer))
endif
key_of = $(shell cat $(1) | cksum | cut -d' ' -f1)
ROOTS := layers/makegood/makegood layers/catalog/catalog cli/makegood_cli
PROJECT := .venvs/$(TAG)/project
ENGINE := .venvs/$(TAG)/engine
SAM := .venvs/$(TAG)/sam
PROJECT_STAMP := $(PROJECT)/.ready-$(call key_of,locks/dev.txt pyproject.toml $(wildcard $(ROOTS:=/__init__.py)))
ENGINE_STAMP := $(ENGINE)/.ready-$(call key_of,locks/engine.txt)
SAM_STAMP := $(SAM)/.ready-$(call key_of,locks/sam.txt)
BIN := $(PROJECT)/bin
PIP := -m pip --disable-pip-version-check --no-input -qq

# $(call environment,folder,lock): a virtual environment holding what the lock says, hash by hash. A lock is complete, so
# pip has nothing to resolve (and older ones trip over extras when they do); its own check says whether all fits together.
define environment
	@echo "Setting up $(1) with $(notdir $(PYTHON)) (a minute or so) …"
	@rm -f $(1)/.ready-*
	@$(PYTHON) -m venv $(1)
	@$(1)/bin/python $(PIP) install --no-deps --require-hashes --only-binary :all: -r $(2)
	@$(1)/bin/python $(PIP) check
endef

.PHONY: help setup setup-sam setup-engine demo test lint check fix build sam up down simulate schedules mutants docs lock

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  make demo SEED=7 BREAK=no-touch JSON=1    repeat a run, plant a fault, print the report as JSON"
	@echo "  make test PYTHON=python3.13 ARGS='-k cap'   another Python, pytest's own options"

setup: $(PROJECT_STAMP) setup-engine ## make the project's and the engine's environment
	@ln -sfn $(PROJECT) .venv

setup-engine: $(ENGINE_STAMP) ## make the embedded AWS engine's environment
	@ln -sfn $(ENGINE) .venv-engine

setup-sam: $(SAM_STAMP) ## make the SAM CLI's environment
	@ln -sfn $(SAM) .venv-sam

$(PROJECT_STAMP): locks/dev.txt
	$(call environment,$(PROJECT),$<)
	@$(BIN)/python $(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(ENGINE_STAMP): locks/engine.txt
	$(call environment,$(ENGINE),$<)
	@touch $@

$(SAM_STAMP): locks/sam.txt
	$(call environment,$(SAM),$<)
	@touch $@

demo: setup ## lose work on purpose, heal it, audit it: the whole story on this machine, in three minutes
	@$(BIN)/makegood demo $(if $(SEED),--seed $(SEED)) $(if $(BREAK),--break $(BREAK)) $(if $(JSON),--json)

up: setup ## start the local stack: template.yaml itself on the embedded engine
	@$(BIN)/makegood up

down: setup ## stop the local stack
	@$(BIN)/makegood down

test: setup ## run the tests (ARGS='…' goes to pytest)
	@$(BIN)/pytest -n $(WORKERS) --dist loadfile --ignore=tests/sam --ignore=tests/deployed $(ARGS)

lint: setup # all of `check` but the tests
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy layers functions cli tests benchmarks
	@$(BIN)/lint-imports
	@$(BIN)/cfn-lint template.yaml

check: lint test sam ## lint, format, types, arrows, template, tests, the real SAM CLI

fix: setup ## mend what the linter can mend, and format
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

build: export SAM_CLI_TELEMETRY := 0
build: export AWS_DEFAULT_REGION ?= eu-west-1
build: setup-sam ## sam validate --lint, sam build, and byte code that a cold start can use (ARCHITECTURE=x86_64)
	@runtime=$$(tools/find-python $(RUNTIME)); export PATH="$$(dirname "$$runtime"):$$PATH"; \
	  $(SAM)/bin/sam validate --lint; \
	  $(SAM)/bin/sam build $(if $(ARCHITECTURE),--parameter-overrides Architecture=$(ARCHITECTURE)); \
	  "$$runtime" -m compileall -qq --invalidation-mode checked-hash .aws-sam/build/*Layer/python .aws-sam/build/*Function

sam: setup setup-sam ## run every event through the real `sam local invoke`, against a stack of its own (needs Docker)
	@$(BIN)/pytest tests/sam $(ARGS)

simulate: setup ## keep every promise under any schedule of faults (N=2000 SEED=0, or SEED=17 ONLY=1 for one and its story)
	@$(BIN)/python -m tests.simulation.run --number $(or $(N),2000) --seed $(or $(SEED),0) --cores $(WORKERS) \
	  $(if $(LEAST),--least $(LEAST)) $(if $(ONLY),--only)

schedules: setup ## the same on the real doors, four side by side (SEED=17 N=1 for one and its story, BREAK=no-touch)
	@$(BIN)/python -m tests.schedules.run --number $(or $(N),4) --seed $(or $(SEED),0) $(if $(BREAK),--break $(BREAK))

mutants: setup ## break the code on purpose, one patch at a time: the named test must notice
	@$(BIN)/python mutants/run.py

docs: setup ## write the pages that the code knows best
	@$(BIN)/python tools/life_cycle.py
	@$(BIN)/python tools/policies.py
	@$(BIN)/python -m tests.cases.page

lock: ## resolve the three locks anew: versions and hashes, no addresses
	@$(PYTHON) -m venv .venvs/lock && .venvs/lock/bin/python $(PIP) install uv==$(UV)
	@for name in dev engine sam; do \
	  .venvs/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	    --no-emit-index-url --no-header $(if $(UPGRADE),--upgrade) --output-file locks/$$name.txt locks/$$name.in; \
	done
