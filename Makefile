# Two commands: `make demo` and `make test`. Both create .venv when it is missing.
PYTHON ?= python3
VENV := .venv
STAMP := $(VENV)/.installed

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11." if sys.version_info < (3, 11) else 0)'
	@test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --editable '.[test]'
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

clean:
	rm -rf $(VENV) .ticketing build dist *.egg-info
