# The two commands: `make demo` and `make test`. `make help` lists the rest.

CARGO   ?= cargo
PREFIX  ?= /usr/local
TARGET  := $(or $(CARGO_TARGET_DIR),target)
RELEASE := $(TARGET)/release
PARTS   := liblostbits_pass.so lostbits_runtime.o lostbits_runtime_reals.o
# Names under which build systems call the compilers as one word.
LINKS   := lostbits-cc lostbits-c++ lostbits-fc lostbits-rustc cargo-lostbits
# Below share: for bash, zsh and fish.
COMPLETIONS := bash-completion/completions/lostbits zsh/site-functions/_lostbits fish/vendor_completions.d/lostbits.fish
DEMO    := $(TARGET)/demo

# Every target with a line of help.
.PHONY: install-files $(shell sed -n 's/^\([a-z-]*\):.*\#\# .*/\1/p' $(firstword $(MAKEFILE_LIST)))

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 26

setup: ## install missing packages
	@scripts/setup.sh

build: setup ## build the tool, the plugin and the runtimes in target/release
	$(CARGO) build --release
	scripts/pack-runtime.sh $(RELEASE)
	@mkdir -p $(RELEASE)/include && cp include/lostbits.h $(RELEASE)/include
	@for link in $(LINKS); do ln -sf lostbits $(RELEASE)/$$link; done

# An installed lostbits is used as it is, unless one was built here.
demo: ## a wrong result, the line to blame with its proof, and the fix
	@if [ -e $(RELEASE)/lostbits ] || ! command -v lostbits >/dev/null; then \
	    TIMEFORMAT='built in %R s (%U s of CPU, and %S s in the system)' bash -c 'time $(MAKE) --no-print-directory build' && \
	    RELEASE=$(RELEASE) FOLDER=$(DEMO) scripts/demo.sh; \
	else FOLDER=$(DEMO) scripts/demo.sh; fi

# mdBook is built once, into target/tools.
docs: build ## build the book in target/book and check its links and commands
	@test -x $(TARGET)/tools/bin/mdbook || $(CARGO) install --locked --no-default-features --root $(TARGET)/tools mdbook
	$(TARGET)/tools/bin/mdbook build docs
	$(CARGO) test --release -p lostbits --test documentation
	@echo "the book is $(TARGET)/book/index.html"

test: build lint ## check formatting and common mistakes, run all tests
	$(CARGO) test --release --workspace

test-examples: build ## run the example projects that need cmake, catch2, pip and a registry
	@for package in cmake catch2 python3-venv; do dpkg -s $$package >/dev/null 2>&1 || apt-get install -y -q $$package; done
	$(CARGO) test --release -p lostbits --test projects -- --include-ignored

# TESTS='--test cli' accepts the snapshots of that file of tests only.
TESTS   ?=
bless: build ## accept changed snapshots: read the diff afterwards
	INSTA_UPDATE=always TRYCMD=overwrite $(CARGO) test --release -p lostbits $(TESTS)

lint: setup ## check formatting and common mistakes
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-targets -- -D warnings

fuzz: fuzz-programs fuzz-readers ## fuzz instrumented programs and the readers of the tool

# Seconds for each reader.
FUZZ_SECONDS ?= 60
fuzz-readers: setup ## feed the readers of the tool with inputs that coverage guides
	scripts/fuzz-readers.sh $(FUZZ_SECONDS)

fuzz-seeds: build ## write the binary examples in fuzz/corpus anew, after a format has changed
	scripts/fuzz-seeds.sh $(RELEASE)

fuzz-programs: build ## compare many random programs with their shadows
	$(CARGO) test --release -p lostbits --test fuzz -- --ignored

fuzz-watch: build ## many random decisions: does watch flag those that take a different branch in exact arithmetic?
	$(CARGO) test --release -p lostbits --test decisions -- --ignored --nocapture

mutants-pass: setup ## wrong versions of single rules of the pass: do the IR tests notice each?
	$(CARGO) build --release -p lostbits-pass --features mutants
	$(CARGO) test --release -p lostbits-pass --features mutants --test mutants -- --ignored; \
	    status=$$?; $(CARGO) build --release -p lostbits-pass; exit $$status

corpus-all: build ## all subject programs at all levels in all modes
	$(CARGO) test --release -p lostbits --test corpus -- --include-ignored

# Each program is built once and explained a hundred times.
test-threads: build ## a hundred runs of four data-parallel programs have one report
	$(CARGO) test --release -p lostbits --test explain -- --ignored data_parallel_programs_have_one_report_in_a_hundred_runs

test-mpi: build ## shadows across MPI messages, with Open MPI and MPICH, which it installs
	scripts/test-mpi.sh $(RELEASE)

bench-mpi: build ## what shadows cost messages: a ping-pong and a stencil, with Open MPI and MPICH
	@command -v mpicc.openmpi >/dev/null && command -v mpicc.mpich >/dev/null || \
	    apt-get install -y --no-install-recommends openmpi-bin libopenmpi-dev mpich libmpich-dev
	scripts/bench-mpi.sh $(RELEASE)

# PYTHON=/path/to/python3 is the interpreter of the virtual environment.
test-python: build ## extension modules (pybind11, Cython, f2py, maturin) under pytest, with the lines of Python that called
	scripts/test-python.sh $(RELEASE) $(PYTHON)

test-openmp: build ## reductions, tasks and SIMD of OpenMP, and what depends on the number of threads
	scripts/test-openmp.sh $(RELEASE)

test-environment: build ## stacks, address space, large pages, bound processors, containers, 128 threads, 200 GiB of virtual memory
	scripts/test-environment.sh $(RELEASE)

# The library is built by bench-gsl.
GSL_LIBRARY ?= build/subjects/search/gsl/libgsl-search.so
test-campaign: build ## GSL's special functions in 8 shards under Slurm, which it installs; a node is killed
	@test -f $(GSL_LIBRARY) || $(CARGO) run --release -p lostbits-bench --bin search-gsl
	scripts/test-campaign.sh $(RELEASE) $(GSL_LIBRARY)

subjects: build ## build and check GSL, Meschach and LAPACK
	$(CARGO) run --release -p lostbits-bench --bin subjects

subjects-watch: build ## watch GSL's and LAPACK's own tests: slowdown and flagged decisions
	$(CARGO) run --release -p lostbits-bench --bin subjects -- --mode watch --only gsl --only lapack

bench-overhead: build ## measure the slowdown on thirteen kernels and, for explain, on FPBench
	$(CARGO) run --release -p lostbits-bench --bin overhead
	$(CARGO) run --release -p lostbits-bench --bin overhead -- --modes watch --others
	$(CARGO) run --release -p lostbits-bench --bin overhead -- --modes explain --memory
	$(CARGO) run --release -p lostbits-bench --bin fpbench -- --overhead

bench-overhead-reals: build ## the same with high-precision shadows (1000 and 128 bits), alone and under explain
	LOSTBITS_PRECISION=1000 $(CARGO) run --release -p lostbits-bench --bin overhead -- --modes explain-reals --estimate --reps 1
	LOSTBITS_PRECISION=1000 $(CARGO) run --release -p lostbits-bench --bin overhead -- --modes reals --estimate --reps 1
	LOSTBITS_PRECISION=128 $(CARGO) run --release -p lostbits-bench --bin overhead -- --modes reals --estimate --reps 1

bench-overhead-fpbench: build ## the slowdown of explain on FPBench, adaptive and with 1000 bits, and Herbgrind's
	$(CARGO) run --release -p lostbits-bench --bin fpbench -- --overhead

bench-fpbench: build ## compare explain's findings on FPBench with exact arithmetic
	$(CARGO) run --release -p lostbits-bench --bin fpbench -- --against 1000

# FIX='--only NMSE' takes some cores, FIX='--cores FOLDER' others.
bench-fix: build ## repair FPBench's cores, judged by code that shares nothing with the search, compared with Herbie
	$(CARGO) run --release -p lostbits-bench --bin fix -- $(FIX)

bench-fix-programs: build ## patch programs with one defect each, and compare the patches with the golden ones
	$(CARGO) test --release -p lostbits --test fix -- --include-ignored programs_are_patched

bench-fix-published: build ## repair functions of statrs and GSL as published, judged by mpmath (fetches their sources)
	scripts/fix-published.sh $(RELEASE)/lostbits $(TARGET)/fix-published

bench-watch: build ## which inputs watch calls unstable, compared with the truth and the paper
	$(CARGO) run --release -p lostbits-bench --bin watch

bench-gsl: build ## search GSL's functions of one parameter, judged by mpmath (Atomu's Tables 4 and 5)
	$(CARGO) run --release -p lostbits-bench --bin search-gsl

# REAL='--only musl' takes one library, REAL='--scan 1000' scans more inputs for missed errors.
.PHONY: bench-search-real
bench-search-real: bench-gsl ## search musl, R's nmath, Rust's libm, special and statrs, and GSL, judged by mpmath
	@test -x build/subjects/real/bin/python3 || { python3 -m venv build/subjects/real \
	    && build/subjects/real/bin/python3 -m pip install --quiet mpmath==1.3.0 python-flint; }
	build/subjects/real/bin/python3 bench/oracle/search_real.py $(abspath $(RELEASE)/lostbits) $(abspath build/subjects) $(REAL)

bench-map: build ## error maps of ten functions of the system's libm beside glibc's own figures
	@test -x build/subjects/real/bin/python3 || { python3 -m venv build/subjects/real \
	    && build/subjects/real/bin/python3 -m pip install --quiet mpmath==1.3.0 python-flint; }
	build/subjects/real/bin/python3 bench/oracle/error_map.py $(abspath $(RELEASE)/lostbits) $(abspath build/subjects)

# LIBM='--only musl --inputs 40' takes one library, and fewer inputs for each function.
bench-libm: build ## is correct libm code (musl, Rust's libm) clean under explain and watch?
	@test -x build/subjects/real/bin/python3 || { python3 -m venv build/subjects/real \
	    && build/subjects/real/bin/python3 -m pip install --quiet mpmath==1.3.0 python-flint; }
	build/subjects/real/bin/python3 bench/oracle/libm_clean.py $(abspath $(RELEASE)/lostbits) $(abspath build/subjects) $(LIBM)

bench-lsga: build ## compare the strategies on GSL's functions of several parameters
	$(CARGO) run --release -p lostbits-bench --bin search-lsga

# FPGEN='--seconds 5' makes it short, FPGEN=--ablation leaves out parts as well.
bench-fpgen: build ## search FPGen's 21 programs (arrays and matrices), a minute each (Table 3)
	$(CARGO) run --release -p lostbits-bench --bin fpgen -- $(FPGEN)

# BLAME='--only lorenz' takes some programs, BLAME='--keep-aside FOLDER' others, BLAME=--truth runs no lostbits.
bench-blame: build ## judge the causes that explain reports by interventions that share nothing with it
	$(CARGO) run --release -p lostbits-bench --bin blame -- $(BLAME)

# TIME=--quick takes a tenth of the time, TIME='--only lu' some programs.
bench-time: build ## what the user of explain waits for: whole commands and their passes against native
	$(CARGO) run --release -p lostbits-bench --bin time -- $(TIME)

# MUTANTS='--re abi/src/site.rs' tries the changes of one file only. Of `lostbits`, the tests that need neither plugin
# nor runtime have to notice.
mutants: setup ## change the code in small ways and list the changes that no test notices (needs cargo-mutants)
	@$(CARGO) mutants --version >/dev/null 2>&1 || $(CARGO) install --locked cargo-mutants
	$(CARGO) mutants --package lostbits-abi --test-package lostbits-abi,lostbits-reals --output build/abi $(MUTANTS); abi=$$?; \
	    $(CARGO) mutants --package lostbits --output build $(MUTANTS) -- --lib --test fpcore --test readers \
	    && exit $$abi

install: build install-files ## install under PREFIX (default /usr/local)

# What is built, without building it: `package` uses it, too.
install-files:
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/lostbits
	install -m 755 $(RELEASE)/lostbits $(RELEASE)/lostbits-z3 $(DESTDIR)$(PREFIX)/bin
	install -D -m 644 include/lostbits.h $(DESTDIR)$(PREFIX)/include/lostbits.h
	install -m 644 $(addprefix $(RELEASE)/,$(PARTS)) $(DESTDIR)$(PREFIX)/lib/lostbits
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/lostbits/include include/lostbits.h
	for link in $(LINKS); do ln -sf lostbits $(DESTDIR)$(PREFIX)/bin/$$link; done
	$(RELEASE)/lostbits generate man $(DESTDIR)$(PREFIX)/share/man/man1
	install -d $(dir $(addprefix $(DESTDIR)$(PREFIX)/share/,$(COMPLETIONS)))
	$(RELEASE)/lostbits generate completions bash >$(DESTDIR)$(PREFIX)/share/$(word 1,$(COMPLETIONS))
	$(RELEASE)/lostbits generate completions zsh >$(DESTDIR)$(PREFIX)/share/$(word 2,$(COMPLETIONS))
	$(RELEASE)/lostbits generate completions fish >$(DESTDIR)$(PREFIX)/share/$(word 3,$(COMPLETIONS))

uninstall: ## remove what install installed
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/bin/,lostbits lostbits-z3 $(LINKS))
	rm -rf $(DESTDIR)$(PREFIX)/lib/lostbits $(DESTDIR)$(PREFIX)/include/lostbits.h
	rm -f $(DESTDIR)$(PREFIX)/share/man/man1/lostbits.1 $(DESTDIR)$(PREFIX)/share/man/man1/lostbits-*.1
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/,$(COMPLETIONS))

package: build ## build a Debian package and a tarball in target/package
	scripts/package.sh $(RELEASE) $(TARGET)/package

test-package: package ## unpack the package and the tarball, and use them
	scripts/test-package.sh $(TARGET)/package

wheel: build ## build a wheel for pip in target/wheel
	scripts/wheel.sh $(RELEASE) $(TARGET)/wheel

test-wheel: wheel ## install the wheel into a virtual environment, and use it
	scripts/test-wheel.sh $(TARGET)/wheel

test-html: build ## use pages in headless Chromium (installs it); screenshots are in target/html
	@command -v chromium >/dev/null || apt-get install --yes --no-install-recommends chromium
	PICTURES=$(abspath $(TARGET)/html) $(CARGO) test --release -p lostbits --test formats -- --ignored pages

# The schema is in a crate of that name.
SARIF   := $(TARGET)/sarif
test-sarif: build ## validate SARIF against its schema
	@mkdir -p $(SARIF)/src && touch $(SARIF)/src/lib.rs
	@printf '[package]\nname = "schema"\n[dependencies]\nserde-sarif = "=0.8.0"\n[workspace]\n' >$(SARIF)/Cargo.toml
	@cd $(SARIF) && $(CARGO) vendor --quiet >/dev/null
	SARIF_SCHEMA=$(abspath $(SARIF)/vendor/serde-sarif/src/schema.json) $(CARGO) test --release -p lostbits --test formats -- --ignored sarif

build-time: setup ## measure the CPU time of a build from nothing
	@rm -rf $(TARGET)/build-time && mkdir -p $(TARGET)/build-time/cache
	GMP_MPFR_SYS_CACHE=_ bash -c 'time $(CARGO) build --quiet --release --target-dir $(TARGET)/build-time'

clean: ## remove everything built
	$(CARGO) clean
