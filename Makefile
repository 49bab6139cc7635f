# The two commands: `make demo` and `make test`. `make help` lists the rest.

CARGO   ?= cargo
PREFIX  ?= /usr/local
TARGET  := $(or $(CARGO_TARGET_DIR),target)
RELEASE := $(TARGET)/release
PARTS   := liblostbits_pass.so lostbits_runtime.o lostbits_runtime_reals.o
# Names under which build systems call the compilers as one word.
LINKS   := lostbits-cc lostbits-c++ lostbits-fc lostbits-rustc
DEMO    := $(TARGET)/demo

.PHONY: help setup build demo test lint bless fuzz fuzz-programs fuzz-readers fuzz-seeds fuzz-watch mutants mutants-pass corpus-all subjects subjects-watch bench-overhead bench-overhead-reals bench-overhead-fpbench install uninstall clean bench-fpbench bench-fix bench-watch bench-gsl bench-lsga bench-fpgen bench-blame bench-time

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 26

setup: ## install missing packages
	@scripts/setup.sh

build: setup ## build the tool, the plugin and the runtimes in target/release
	$(CARGO) build --release --workspace
	scripts/pack-runtime.sh $(RELEASE)
	@mkdir -p $(RELEASE)/include && cp include/lostbits.h $(RELEASE)/include
	@for link in $(LINKS); do ln -sf lostbits $(RELEASE)/$$link; done

demo: build ## compile the bundled examples, list their operations, run them, show a first finding
	@mkdir -p $(DEMO)
	$(RELEASE)/lostbits cc -O2 -g tests/demo/variance.c -o $(DEMO)/variance
	$(RELEASE)/lostbits sites $(DEMO)/variance
	$(RELEASE)/lostbits run --record $(DEMO)/variance.lostbits $(DEMO)/variance
	$(RELEASE)/lostbits watch tests/watch/determinant.c -O2 -- 2 1; test $$? -eq 1 # there is a finding

test: build lint ## check formatting and common mistakes, run all tests
	$(CARGO) test --release --workspace

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

subjects: build ## build and check GSL, Meschach and LAPACK
	$(CARGO) run --release -p lostbits-bench --bin subjects

subjects-watch: build ## watch GSL's and LAPACK's own tests: slowdown and flagged decisions
	$(CARGO) run --release -p lostbits-bench --bin subjects -- --mode watch --only gsl --only lapack

bench-overhead: build ## measure the slowdown on thirteen kernels and, for explain, on FPBench
	$(CARGO) run --release -p lostbits-bench --bin overhead
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

bench-watch: build ## which inputs watch calls unstable, compared with the truth and the paper
	$(CARGO) run --release -p lostbits-bench --bin watch

bench-gsl: build ## search GSL's functions of one parameter, judged by mpmath (Atomu's Tables 4 and 5)
	$(CARGO) run --release -p lostbits-bench --bin search-gsl

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
	$(CARGO) mutants --package lostbits-abi --output build/abi $(MUTANTS); abi=$$?; \
	    $(CARGO) mutants --package lostbits --output build $(MUTANTS) -- --lib --test fpcore --test readers --test operations \
	    && exit $$abi

install: build ## install under PREFIX (default /usr/local)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/lostbits
	install -m 755 $(RELEASE)/lostbits $(RELEASE)/lostbits-z3 $(DESTDIR)$(PREFIX)/bin
	install -D -m 644 include/lostbits.h $(DESTDIR)$(PREFIX)/include/lostbits.h
	install -m 644 $(addprefix $(RELEASE)/,$(PARTS)) $(DESTDIR)$(PREFIX)/lib/lostbits
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/lostbits/include include/lostbits.h
	for link in $(LINKS); do ln -sf lostbits $(DESTDIR)$(PREFIX)/bin/$$link; done

uninstall: ## remove what install installed
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/bin/,lostbits lostbits-z3 $(LINKS))
	rm -rf $(DESTDIR)$(PREFIX)/lib/lostbits $(DESTDIR)$(PREFIX)/include/lostbits.h

clean: ## remove everything built
	$(CARGO) clean
