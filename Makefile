# Two commands: `make demo` and `make test`. Both create .venv when it is missing.
# `make test WHEEL=1` tests the packages as a desk installs them, away from the checkout's, as CI does.
# `make test PROCESSES=4` runs tests in so many processes, not in one a core.
PYTHON ?= python3
PROCESSES ?= auto
VENV := $(if $(WHEEL),.venv-wheel,.venv)
SUITE := $(if $(WHEEL),build/suite,.)
STAMP := $(VENV)/.installed
NODE := $(patsubst %,tests/%/node_modules/.package-lock.json,browser openid)
TORCH_INDEX ?= $(shell sed -n 's/^ARG TORCH_INDEX=//p' docker/Dockerfile)
PIP := $(VENV)/bin/python -m pip --quiet --disable-pip-version-check

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11." if sys.version_info < (3, 11) else 0)'
	@test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV) (a few minutes the first time)"
	@$(PIP) install --only-binary :all: $(if $(WHEEL),,--editable) '.[test]' || { \
		echo "Installation failed: the lines above name the package and why; a package \
	without a ready-made wheel needs another Python (3.11 is tested; set PYTHON=…)." \
		>&2; exit 1; }
	@touch $@

.PHONY: demo test lint docs screenshots lock audit image-test soak clean $(SUITE)

demo: $(STAMP)
	@exec $(VENV)/bin/ticketing demo

test: $(STAMP) lint $(SUITE) $(if $(MARKED),$(NODE))
	cd $(SUITE) && $(CURDIR)/$(VENV)/bin/python -m pytest -n $(PROCESSES) --dist loadgroup \
		--no-loadscope-reorder $(if $(MARKED),--marked)

# The built wheel in place of what is installed, and a folder with the tests but not the packages.
build/suite: $(STAMP)
	@rm -rf build dist
	@$(PIP) wheel --no-deps --wheel-dir dist .
	@$(PIP) install --no-deps --force-reinstall dist/*.whl
	@mkdir -p $@
	@ln -s ../../tests ../../pyproject.toml $@

# axe-core and an OpenID provider, for marked tests; without them these say so.
$(NODE): tests/%/node_modules/.package-lock.json: tests/%/package-lock.json
	@command -v npm >/dev/null || { echo "npm is missing, so tests/$*/package.json is not installed." >&2; exit 0; }; \
		npm ci --silent --no-fund --no-audit --prefix tests/$*

lint: $(STAMP)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/lint-imports
	$(VENV)/bin/mypy

docs: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/python -m mkdocs build --strict

screenshots: $(STAMP)
	$(VENV)/bin/python docs/screenshots.py

# What the image installs, with hashes; versions that are there stay, LOCK="--upgrade" takes the newest.
# UV_FIND_LINKS may name a folder that holds the processor's torch.
lock: $(STAMP)
	@$(PIP) install --editable '.[lock]'
	UV_INDEX="$(TORCH_INDEX)" $(VENV)/bin/uv pip compile --quiet --index-strategy unsafe-best-match $(LOCK) \
		--extra servers --python-version 3.11.0 --python-platform x86_64-manylinux_2_28 \
		--generate-hashes --no-annotate --custom-compile-command "make lock" \
		--output-file docker/requirements.txt pyproject.toml

# The lock against the index's list of known weaknesses; AUDIT="--osv-url …" asks another list.
audit: $(STAMP)
	@$(PIP) install --editable '.[lock]'
	$(VENV)/bin/pip-audit --disable-pip --strict --requirement docker/requirements.txt $(AUDIT)

# Builds the image without a daemon and tries it: root, buildah and debootstrap are needed.
image-test:
	docker/image_test.sh

# Faults under load for so many minutes, on servers of this machine: docs/how-to/soak.md.
MINUTES ?= 20
soak: $(STAMP)
	OMP_NUM_THREADS=1 OMP_WAIT_POLICY=PASSIVE $(VENV)/bin/python -m tests.soak $(MINUTES) $(SEED)

clean:
	rm -rf .venv .venv-wheel build dist site *.egg-info
