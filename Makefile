# The front door: every target installs what it needs (Debian packages, asking for sudo if need be), then hands over to
# CMake. On other systems, or to leave the system alone, install the tools yourself and set ANAPHORA_NO_INSTALL=1.
#
#   make demo        show what Anaphora does, in a minute
#   make build       everything, into build/ (tools: without the tests)
#   make test        the quick selection of the tests (test-long: the rest of them, for hours)
#   make page        the page of `anaphora view` from web/, into share/view
#   make test-real   build, record and replay programs from Debian source packages, servers with their clients
#   make test-real-mpi  record and replay MPI programs from Debian packages, and MPICH's own tests
#   make bench       what recording and replaying cost, next to the peers, into docs/results (40 minutes; QUICK=1: 9)
#   make bench-guard fails if instrumented code or the recorder does more than it used to; also one of the tests
#   make bench-calls what system calls cost, into docs/results
#   make bench-chaos runs until each bug of examples/ shows, without and with --chaos, into docs/results
#   make bench-races what `anaphora races` takes and finds, next to ThreadSanitizer, into docs/results
#   make tables      the papers' tables, for this machine, into docs/results
#   make tables-mpi  messages of MPI jobs: the paper's table, into docs/results
#   make install     PREFIX=/usr/local DESTDIR=
#   make package     a .deb, in build/
#   make clean
BUILD  ?= build
PREFIX ?= /usr/local
DESTDIR ?=
JOBS   ?= $(shell nproc)
# Options of the runners: make test-real REAL="zstd leveldb", make test-real-mpi SUITE="mprobe bsend1",
# make bench BENCH=--help, make tables TABLES=--quick
REAL   ?=
SUITE  ?=
BENCH  ?=
TABLES ?=

DEPS = ./scripts/install-deps
# Every test has a limit of its own; this one catches those that forgot.
CTEST = ctest --test-dir $(BUILD) --output-on-failure --timeout 600 --no-tests=error

build: deps-build $(BUILD)/build.ninja
	cmake --build $(BUILD) --parallel $(JOBS)

# What users need, without the tests.
tools: deps-build $(BUILD)/build.ninja
	cmake --build $(BUILD) --parallel $(JOBS) --target src/all

# CMake looks after the changes of its own files; this is for the first time.
$(BUILD)/build.ninja: | deps-build
	cmake --preset default -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX)

demo: tools
	./examples/demo/run_demo.sh $(BUILD)

test: build deps-view
	$(CTEST) --parallel $(JOBS) -LE long

# What it makes is in the tree, so that only those who change web/ need npm.
page: deps-view
	cd web && npm install --no-save && npm run --silent build
	cp web/dist/index.html share/view/index.html

test-long: build
	$(CTEST) -L long --timeout 20000

test-real: build deps-real
	python3 tests/real/run_real.py --build $(BUILD) --work $(BUILD)/real $(REAL)

test-real-mpi: build deps-real-mpi
	python3 tests/mpi/run_real.py --build $(BUILD) --work $(BUILD)/real-mpi $(REAL)
	python3 tests/mpi/run_suite.py --build $(BUILD) --work $(BUILD)/mpich-suite $(SUITE)

# With the system's interpreter, which is the one that sees the system's packages.
bench: build deps-bench deps-real
	/usr/bin/python3 bench/run_bench.py --build $(BUILD) --results docs/results $(if $(QUICK),--quick) $(BENCH)

bench-guard: build
	python3 bench/guard.py --build $(BUILD)

bench-calls: build
	python3 bench/calls.py --build $(BUILD) --output $(BUILD)/bench-calls --results docs/results $(BENCH)

bench-chaos: build
	python3 bench/chaos.py --build $(BUILD) --output $(BUILD)/bench-chaos --results docs/results $(BENCH)

bench-races: build
	python3 bench/races.py --build $(BUILD) --output $(BUILD)/bench-races --results docs/results $(BENCH)

tables: build deps-tables
	/usr/bin/python3 bench/tables.py --build $(BUILD) $(TABLES)

tables-mpi: build
	python3 bench/mpi/tables.py --build $(BUILD) --output $(BUILD)/tables-mpi --results docs/results $(BENCH)

install: tools
	DESTDIR="$(abspath $(DESTDIR))" cmake --install $(BUILD) --prefix "$(PREFIX)" > $(BUILD)/install.log
	@echo "installed in $(abspath $(DESTDIR))$(PREFIX) (list: $(BUILD)/install.log)"

package: tools deps-package
	cd $(BUILD) && cpack -G DEB

clean:
	rm -rf -- "$(BUILD)"

deps-build deps-view deps-real deps-real-mpi deps-bench deps-tables deps-package:
	@$(DEPS) $(@:deps-%=%)

.PHONY: build tools demo page test test-long test-real test-real-mpi bench bench-guard bench-calls bench-chaos \
        bench-races tables tables-mpi install package clean \
        deps-build deps-view deps-real deps-real-mpi deps-bench deps-tables deps-package
