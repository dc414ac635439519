# One command a task, the same by hand and in CI. Only Python >= 3.11, make and a package index are needed: everything
# else is installed into .venv from requirements/*.txt, which pin every version with its hashes.
#
#   make run [PORT=8080] [HOST=127.0.0.1]   serve (installs what the service needs, no more); beyond this machine it
#                                           wants API keys or ARGS=--allow-unauthenticated; SEARCH=1 searches for cards
#                                           in one process, after installing a compiler
#   make install                            prepare .venv for everything, this project included (editable)
#   make test [ARGS="-k nil"]               all tests, in three processes
#   make test-busy [ARGS="-k nil"]          the same while two other processes use the processors
#   make test-fast [ARGS="-k nil"]          tests of spades/ and service/ that compile nothing and start no servers, for the edit loop
#   make test-long                          the tests that take too long for every run or measure time, on a quiet
#                                           machine; an hour
#   make clients                            remake the types of clients/ from the contract; wants npm
#   make test-clients                       run the clients of clients/, and generated Python, TypeScript and Java
#                                           ones; wants npm, a JDK, and mono with Newtonsoft.Json
#   make screenshots                        remake the pictures of the playground in docs/img; wants Debian's
#                                           chromium-headless-shell
#   make same-answers [BASE=<commit>] [ARGS="--arena --ignore REGEX"]
#                                           does the working tree answer as the commit does? BASE's default is the
#                                           commit of main that this branch started from
#   make check                              ruff, mypy --strict, import contracts
#   make fix                                mend what ruff can mend
#   make docs                               the site of the documentation, with the appendix of all measured figures:
#                                           build/site; a broken link is an error
#   make bench [ARGS="--rounds 7"]          a decision, a card, the engine, the service beside its yardsticks
#   make loadtest [DURATION=30] [RATE=500] [PROMISE_MS=25] [ARGS="--url http://host:port"]
#                                           start the service, load it, print a verdict, stop it
#   make loadtest-web                       Locust's page on 127.0.0.1:8089
#   make dashboards-check                   rules, dashboard, manifests (promtool and prometheus: Debian's prometheus)
#   make prometheusrule                     remake the Kubernetes form of deploy/prometheus/rules
#   make library                            build the library's wheel and sdist: build/packages
#   make packages                           build them and the packages of the clients, as they are published; wants npm
#   make release-note VERSION=1.0.0         print what CHANGELOG.md says of a version
#   make tables [ARGS="--only cnil"]        build the tables that are not up to date
#   make verify                             check the committed tables
#   make lock [LOCKFLAGS=--upgrade]         remake requirements/ from pyproject.toml
#   make clean                              remove .venv and caches
#
# PYTHON=... chooses the interpreter of a new .venv (`make clean` first, to change it).

PORT ?= 8080
HOST ?= 127.0.0.1
PYTHON ?=
ARGS ?=
LOCKFLAGS ?=
SEARCH ?=

VENV := .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime-installed
ALL := $(VENV)/.all-installed
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input --require-hashes
# With the pinned build backend of requirements/all.txt; hashes are for files that are downloaded.
INSTALL_PROJECT := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input --no-index --no-deps \
	--no-build-isolation --editable .

# The first candidate that runs (a version manager's shim may exist and fail), is new enough and can make environments.
FIND_PYTHON = found=; for candidate in $(or $(PYTHON),python3.13 python3.12 python3.11 python3); do \
	if $$candidate -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; \
	then found=$$candidate; break; fi; done; \
	if [ -z "$$found" ]; then \
	echo "No usable Python: expected >= 3.11 with venv and ensurepip (on Debian: python3-venv), tried:" \
	"$(or $(PYTHON),python3.13 python3.12 python3.11 python3). Name one with PYTHON=..." >&2; exit 1; fi

.PHONY: help run install test test-busy test-fast test-long clients test-clients same-answers screenshots check fix bench \
	loadtest loadtest-web dashboards-check prometheusrule docs library packages release-note tables verify lock clean
.DEFAULT_GOAL := help

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile

$(RUNTIME): requirements/runtime.txt
	@if ! $(BIN)/python -m pip --version >/dev/null 2>&1; then \
	$(FIND_PYTHON); echo "Making $(VENV) with $$found ($$($$found --version))"; \
	$$found -m venv --clear $(VENV); fi
	@echo "Installing requirements/runtime.txt"
	@$(PIP_INSTALL) -r requirements/runtime.txt
	@touch $@

$(ALL): requirements/all.txt $(RUNTIME)
	@echo "Installing requirements/all.txt"
	@$(PIP_INSTALL) -r requirements/all.txt
	@$(INSTALL_PROJECT)
	@touch $@

run: $(RUNTIME) $(if $(SEARCH),$(ALL))
	@exec env $(if $(SEARCH),SPADES_SEARCH_PROCESSES=$(SEARCH)) $(BIN)/python -m service serve --host $(HOST) --port $(PORT) $(ARGS)

install: $(RUNTIME) $(ALL)

# Otherwise each of the many processes that the tests start would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE
# One thread of linear algebra in each process: more of them wait for each other, and a fit takes ten times as long.
GROUPED := OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest --dist loadgroup --no-loadscope-reorder
# Three processes on two cores, because the tests of servers wait for most of their time.
TEST = $(GROUPED) -n 3 -m "not long and not clients" $(ARGS)
test: $(ALL)
	$(TEST)

# A test that fails here but not in `make test` depends on a quiet machine.
BUSY := $(BIN)/python -c "while True: pass"
test-busy: $(ALL)
	@$(BUSY) & first=$$!; $(BUSY) & trap "kill $$first $$!" EXIT; trap "exit 130" INT TERM; $(TEST)

test-fast: $(ALL)
	$(GROUPED) -n 2 tests/spades tests/service tests/golden -m "not (long or slow or compiled or server)" $(ARGS)

check: $(ALL)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

fix: $(ALL)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The pages lie in several folders, and the generator reads one: they are copied, each to the same path. The appendix of
# results is not committed; in the copy, the pages of results link to it.
docs: $(ALL)
	@rm -rf build/pages build/site && mkdir -p build/pages
	@tar -c *.md LICENSE docs clients/*/README.md spades/README.md spades/bidder.py examples | tar -x -C build/pages
	@$(BIN)/python -m report --out build/pages/docs
	@NO_COLOR=1 $(BIN)/zensical build --strict

bench: $(ALL)
	$(BIN)/python -m tests.bench.decisions
	$(BIN)/python -m loadtest.bench $(ARGS)

test-long: $(ALL)
	$(BIN)/python -m pytest -m long -s tests $(ARGS)

clients: $(ALL)
	$(BIN)/python -m clients.generate

test-clients: $(ALL)
	$(BIN)/python -m pytest -m clients tests/clients $(ARGS)

screenshots: $(ALL)
	$(BIN)/python -m tests.browser.screenshots $(ARGS)

BASE ?=
same-answers: $(ALL)
	$(BIN)/python -m tests.golden.compare $(if $(BASE),--base $(BASE)) $(ARGS)

# The wheel is built from the sdist, so that both are complete.
library: $(ALL)
	@rm -rf build/packages && mkdir -p build/packages
	cd spades && ../$(BIN)/python -m hatchling build --target sdist --directory ../build/packages
	tar -xzf build/packages/*.tar.gz -C build/packages
	cd build/packages/*/ && ../../../$(BIN)/python -m hatchling build --target wheel --directory ..
	@rm -r build/packages/*/

# The package for NuGet wants the .NET SDK: `dotnet pack clients/csharp --output build/packages`.
packages: library
	cd clients/python && ../../$(BIN)/python -m hatchling build --directory ../../build/packages
	cd clients/typescript && npm ci --no-audit --no-fund && npm pack --pack-destination ../../build/packages
	npm pack ./clients/csharp --pack-destination build/packages
	$(BIN)/twine check --strict build/packages/*.whl build/packages/*.tar.gz

VERSION ?= (no VERSION=... is given)
release-note:
	@note=$$(sed -n '/^## $(VERSION)\( \|$$\)/,/^## /{/^## /d;p}' CHANGELOG.md); [ -n "$$note" ] || \
	{ echo "CHANGELOG.md has no text for version $(VERSION)" >&2; exit 1; }; printf '%s\n' "$$note"

tables: $(ALL)
	$(BIN)/python -m tables build $(ARGS)

verify: $(ALL)
	$(BIN)/python -m tables verify $(ARGS)

# One resolution for every Python from 3.11 on and every platform; the runtime list is a subset of the whole, so that
# the service is tested with the versions that it ships with. Index addresses never reach the files.
COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest \
	--generate-hashes --no-header --no-emit-index-url --no-emit-find-links $(LOCKFLAGS) pyproject.toml
lock: $(ALL)
	$(COMPILE) --group dev --output-file requirements/all.txt
	$(COMPILE) --constraints requirements/all.txt --output-file requirements/runtime.txt

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .benchmarks
	find spades service arena tables studio report tests loadtest -name __pycache__ -type d -prune -exec rm -rf {} +

# Load tests (loadtest/, docs/how-to/run-in-production.md).
DURATION ?= 30
RATE ?= 500
PROMISE_MS ?= 25
loadtest: $(ALL)
	$(BIN)/python -m loadtest --duration $(DURATION) --rate $(RATE) --promise-ms $(PROMISE_MS) $(ARGS)

loadtest-web: $(ALL)
	$(BIN)/python -m loadtest web $(ARGS)

dashboards-check: $(ALL)
	$(BIN)/python -m pytest tests/deploy $(ARGS)

# For the Prometheus operator: the groups of deploy/prometheus/rules as they are, under `spec` (a test compares them).
RULES := deploy/k8s/components/prometheusrule/prometheusrule.yaml
prometheusrule:
	@sed '/^  groups:$$/q' $(RULES) >$(RULES).new
	@for file in deploy/prometheus/rules/*.yml; do sed '1,/^groups:$$/d; s/^./  &/' $$file; done >>$(RULES).new
	@mv $(RULES).new $(RULES)
