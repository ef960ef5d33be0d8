# Two commands: `make demo` and `make test`. Both create .venv when it is missing.
PYTHON ?= python3
VENV := .venv
STAMP := $(VENV)/.installed

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11." if sys.version_info < (3, 11) else 0)'
	@test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV) (a few minutes the first time)"
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: \
		--editable '.[test]' || { echo "Installation failed: the lines above name the package and \
	why; a package without a ready-made wheel needs another Python (3.11 is tested; set PYTHON=…)." \
		>&2; exit 1; }
	@touch $@

.PHONY: demo test lint clean

demo: $(STAMP)
	@exec $(VENV)/bin/ticketing demo

test: $(STAMP) lint
	$(VENV)/bin/python -m pytest $(if $(MARKED),--marked)

lint: $(STAMP)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/lint-imports
	$(VENV)/bin/mypy

clean:
	rm -rf $(VENV) .ticketing build dist *.egg-info
