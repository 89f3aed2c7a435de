# Each target builds .venv from envs/requirements.txt if it is missing or older. Needs only Python 3.11, make and git.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
export OMP_NUM_THREADS := 1
export PATH := $(CURDIR)/$(BIN):$(PATH)
.PHONY: quickstart test test-slow test-rl test-kernels test-cuda test-slurm test-portable lint format docs bench pins clean

quickstart: $(VENV)/installed
	$(BIN)/python -m papers quickstart
	$(BIN)/snakemake --quiet host progress rules -- figures/table1.pdf
	$(BIN)/python -m papers compare table1

test: $(VENV)/installed
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-portable: $(VENV)/installed
	$(BIN)/python tests/portable.py -n 2 --dist worksteal

# Needs no device: Triton's interpreter runs the kernels with NumPy.
test-kernels: $(VENV)-triton/installed
	$(VENV)-triton/bin/python -m pytest -n 2 tests/core/models/engines/test_fused.py

# On a machine with a device, in an environment whose torch has CUDA: PYTHON=python3 make test-cuda.
test-cuda:
	$(PYTHON) -m pytest -m cuda tests/core
	$(PYTHON) -m pytest tests/core/models/engines/test_fused.py

test-rl: $(VENV)-rl/installed
	$(VENV)-rl/bin/python -m pytest -s tests/rl tests/core/control

test-slurm: $(VENV)-slurm/installed
	bash tests/slurm/install
	$(VENV)-slurm/bin/python -m pytest -rs -m slow tests/slurm

test-slow: $(VENV)/installed
	$(BIN)/python -m pytest -n 2 --dist worksteal -m slow

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/snakemake --lint

format: $(VENV)/installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: export NO_MKDOCS_2_WARNING := 1
docs: $(VENV)/installed $(VENV)-docs/installed
	$(BIN)/python -m docs.pages
	$(VENV)-docs/bin/python -m mkdocs build --strict --config-file build/mkdocs.yml
	$(BIN)/python -m docs.pages check

bench: $(VENV)/installed $(VENV)-peers/installed
	$(BIN)/python -m benchmarks

pins: envs/requirements.in
	rm -rf $(VENV)-pins && $(PYTHON) -m venv $(VENV)-pins
	$(VENV)-pins/bin/pip install --quiet -r envs/requirements.in
	$(VENV)-pins/bin/python envs/pin.py $(VENV)-pins/bin/pip
	rm -rf $(VENV)-pins

$(VENV)/installed: envs/requirements.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet -r envs/requirements.txt
	$(BIN)/pip install --quiet --no-deps --editable .
	touch $@

$(VENV)-docs/installed: envs/requirements-docs.txt
	$(PYTHON) -m venv $(VENV)-docs
	$(VENV)-docs/bin/pip install --quiet --no-deps -r envs/requirements-docs.txt
	touch $@

$(VENV)-peers/installed: envs/requirements-peers.txt
	$(PYTHON) -m venv $(VENV)-peers
	$(VENV)-peers/bin/pip install --quiet --no-deps -r envs/requirements-peers.txt
	touch $@

$(VENV)-rl/installed: envs/requirements.txt envs/requirements-rl.txt
	$(PYTHON) -m venv $(VENV)-rl
	$(VENV)-rl/bin/pip install --quiet -r envs/requirements.txt -r envs/requirements-rl.txt
	touch $@

# These see the packages of .venv and have others beside them: every call of Snakemake in .venv would load Slurm's plugin,
# and every user would download Triton.
$(VENV)-slurm/installed $(VENV)-triton/installed: $(VENV)-%/installed: $(VENV)/installed envs/requirements-%.txt
	$(PYTHON) -m venv $(VENV)-$*
	$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
	    > $$($(VENV)-$*/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/beside.pth
	$(VENV)-$*/bin/pip install --quiet --no-deps -r envs/requirements-$*.txt
	touch $@

clean:
	rm -rf $(VENV) $(VENV)-docs $(VENV)-peers $(VENV)-rl $(VENV)-slurm $(VENV)-triton build .snakemake logs .pytest_cache .ruff_cache .mypy_cache
