# The two commands: `make demo` and `make test`. `make help` lists the rest.

CARGO   ?= cargo
PREFIX  ?= /usr/local
TARGET  := $(or $(CARGO_TARGET_DIR),target)
RELEASE := $(TARGET)/release
PARTS   := liblostbits_pass.so lostbits_runtime.o lostbits_runtime_reals.o
# Names under which build systems call the compilers as one word.
LINKS   := lostbits-cc lostbits-c++ lostbits-fc lostbits-rustc
DEMO    := $(TARGET)/demo

.PHONY: help setup build demo test lint fuzz fuzz-watch corpus-all subjects subjects-watch bench-overhead bench-overhead-reals bench-overhead-fpbench install uninstall clean bench-fpbench bench-watch bench-gsl bench-lsga bench-fpgen

help: ## say what can be made
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 18

setup: ## install what this machine lacks
	@scripts/setup.sh

build: setup ## build tool, plugin and runtime in target/release
	$(CARGO) build --release --workspace
	scripts/pack-runtime.sh $(RELEASE)
	@mkdir -p $(RELEASE)/include && cp include/lostbits.h $(RELEASE)/include
	@for link in $(LINKS); do ln -sf lostbits $(RELEASE)/$$link; done

demo: build ## compile bundled examples, list operations, run them, show a first finding
	@mkdir -p $(DEMO)
	$(RELEASE)/lostbits cc -O2 -g tests/demo/variance.c -o $(DEMO)/variance
	$(RELEASE)/lostbits sites $(DEMO)/variance
	$(RELEASE)/lostbits run -o $(DEMO)/variance.lostbits $(DEMO)/variance
	$(RELEASE)/lostbits watch tests/watch/determinant.c -O2 -- 2 1; test $$? -eq 1 # there is a finding

test: build ## run all tests
	$(CARGO) test --release --workspace

lint: setup ## check formatting and common mistakes
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-targets -- -D warnings

fuzz: build ## compare many random programs with their shadows
	$(CARGO) test --release -p lostbits --test fuzz -- --ignored

fuzz-watch: build ## many random decisions: were those flagged that the reals take otherwise?
	$(CARGO) test --release -p lostbits --test decisions -- --ignored --nocapture

corpus-all: build ## all subject programs at all levels in all modes, MPFR shadows too
	$(CARGO) test --release -p lostbits --test corpus -- --include-ignored

subjects: build ## build and check GSL, Meschach and LAPACK
	$(CARGO) run --release -p lostbits-bench --bin subjects

subjects-watch: build ## GSL's and LAPACK's own tests watched: slowdown and flagged decisions
	$(CARGO) run --release -p lostbits-bench --bin subjects -- --mode watch --only gsl --only lapack

bench-overhead: build ## measure the slowdown on thirteen kernels, watch beside what it is compared with, and of explain on FPBench
	$(CARGO) run --release -p lostbits-bench --bin overhead
	$(CARGO) run --release -p lostbits-bench --bin overhead -- --modes explain --memory
	$(CARGO) run --release -p lostbits-bench --bin fpbench -- --overhead

bench-overhead-reals: build ## the same with MPFR shadows of 1000 and of 128 bits, alone and under explain
	LOSTBITS_PRECISION=1000 $(CARGO) run --release -p lostbits-bench --bin overhead -- --modes explain-reals --estimate --reps 1
	LOSTBITS_PRECISION=1000 $(CARGO) run --release -p lostbits-bench --bin overhead -- --modes reals --estimate --reps 1
	LOSTBITS_PRECISION=128 $(CARGO) run --release -p lostbits-bench --bin overhead -- --modes reals --estimate --reps 1

bench-overhead-fpbench: build ## the slowdown of explain on FPBench's cores, adaptive and with 1000 bits, beside Herbgrind's
	$(CARGO) run --release -p lostbits-bench --bin fpbench -- --overhead

bench-fpbench: build ## compare FPBench's cores over the reals with what explain finds
	$(CARGO) run --release -p lostbits-bench --bin fpbench -- --against 1000

bench-watch: build ## which inputs are called unstable, beside the truth and the paper
	$(CARGO) run --release -p lostbits-bench --bin watch

bench-gsl: build ## search GSL's functions of one parameter, judged by mpmath (Atomu's Tables 4 and 5)
	$(CARGO) run --release -p lostbits-bench --bin search-gsl

bench-lsga: build ## compare the strategies on GSL's functions of several parameters
	$(CARGO) run --release -p lostbits-bench --bin search-lsga

# FPGEN='--seconds 5' makes it short, FPGEN=--ablation leaves out parts as well.
bench-fpgen: build ## search FPGen's 21 programs (arrays and matrices), a minute each (Table 3)
	$(CARGO) run --release -p lostbits-bench --bin fpgen -- $(FPGEN)

install: build ## install under PREFIX (default /usr/local)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/lostbits
	install -m 755 $(RELEASE)/lostbits $(RELEASE)/lostbits-z3 $(DESTDIR)$(PREFIX)/bin
	install -D -m 644 include/lostbits.h $(DESTDIR)$(PREFIX)/include/lostbits.h
	install -m 644 $(addprefix $(RELEASE)/,$(PARTS)) $(DESTDIR)$(PREFIX)/lib/lostbits
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/lostbits/include include/lostbits.h
	for link in $(LINKS); do ln -sf lostbits $(DESTDIR)$(PREFIX)/bin/$$link; done

uninstall: ## take it away again
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/bin/,lostbits lostbits-z3 $(LINKS))
	rm -rf $(DESTDIR)$(PREFIX)/lib/lostbits $(DESTDIR)$(PREFIX)/include/lostbits.h

clean: ## remove everything built
	$(CARGO) clean
