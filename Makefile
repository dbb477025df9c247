# Each of these does all the set-up on a fresh machine: `make chat`, `make voice`, `make web` and
# `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: chat voice web extras test lint bench clean

chat: $(VENV)/.chat
	@$(BIN)/pace chat || [ $$? -eq 130 ]

voice: $(VENV)/.voice
	@$(BIN)/pace voice || [ $$? -eq 130 ]

web: $(VENV)/.web
	@$(BIN)/pace web || [ $$? -eq 130 ]

extras: $(VENV)/.extras

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n 4 --dist loadfile --no-loadscope-reorder

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/all.py

clean:
	rm -rf $(VENV) dist build

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Pace needs Python 3.11 or newer; name one with: make PYTHON=python3.12 chat")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.chat: $(BIN)/python pyproject.toml constraints.txt
	@echo "Installing Pace into $(VENV) ..."
	@$(PIP) install --constraint constraints.txt --editable '.[chat]'
	@touch $@

$(VENV)/.voice: $(VENV)/.chat
	@echo "Installing ears and a voice into $(VENV) ..."
	@$(PIP) install --constraint constraints.txt --editable '.[voice,piper]'
	@touch $@

$(VENV)/.web: $(VENV)/.chat
	@echo "Installing the window into $(VENV) ..."
	@$(PIP) install --constraint constraints.txt --editable '.[web]'
	@touch $@

$(VENV)/.extras: $(VENV)/.chat
	@echo "Installing everything that is optional into $(VENV) ..."
	@$(PIP) install --constraint constraints.txt --editable '.[all]'
	@touch $@

$(VENV)/.dev: $(VENV)/.chat
	@echo "Installing what the tests need ..."
	@$(PIP) install --upgrade 'pip>=25.1'
	@$(PIP) install --constraint constraints.txt --editable '.[all]' --group dev
	@touch $@
