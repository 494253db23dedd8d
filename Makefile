# The two commands of the README: `make demo` and `make test`. Both set up `.venv` first.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-slow kills fuzz lint docs pictures benchmarks clean

demo: .venv/installed
	$(BIN)/diffresnet demo

# Two processes with one thread each: two threads of two processes would wait for each other.
test: lint
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2

test-slow: .venv/installed
	$(BIN)/python -m pytest -m slow

# Some 250 kills, about 20 minutes. Called again after a break, it goes on.
kills: .venv/installed
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/kills.py --keep .kills
	rm -r .kills

# Damaged files and random arguments; files of cases with a fault stay in `fuzz-found`.
fuzz: .venv/installed
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.fuzz --cases 20000 --keep fuzz-found

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports

# The site, in docs/_build/html; warnings are errors.
docs: .venv/installed
	OMP_NUM_THREADS=1 $(BIN)/python -m sphinx -W --keep-going -q docs docs/_build/html

# Every picture of the README and the docs.
pictures: .venv/installed
	$(BIN)/diffresnet reproduce xor --out docs/images
	$(BIN)/diffresnet reproduce theory --out docs/images
	$(BIN)/python docs/draw_imports.py
	$(BIN)/python docs/draw_studio.py

benchmarks: .venv/installed
	$(BIN)/python benchmarks/diffusion.py
	$(BIN)/python benchmarks/neighbors.py
	$(BIN)/python benchmarks/modes.py
	$(BIN)/python benchmarks/training.py
	$(BIN)/python benchmarks/fewshot_solvers.py
	$(BIN)/python benchmarks/node_training.py
	$(BIN)/python benchmarks/extraction.py
	$(BIN)/python benchmarks/busy_machine.py

.venv/installed: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv --without-pip .venv
	$(PYTHON) -m pip --python $(BIN)/python install --quiet --constraint constraints.txt pip --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv .pytest_cache .ruff_cache .import_linter_cache .hypothesis demo fuzz-found docs/_build docs/gallery
