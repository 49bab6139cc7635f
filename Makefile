# The two commands: `make demo` and `make test`. `make help` lists the rest.

CARGO   ?= cargo
PREFIX  ?= /usr/local
TARGET  := $(or $(CARGO_TARGET_DIR),target)
RELEASE := $(TARGET)/release
PARTS   := liblostbits_pass.so lostbits_runtime.o
# Names under which build systems call the compilers as one word.
LINKS   := lostbits-cc lostbits-c++ lostbits-fc lostbits-rustc
DEMO    := $(TARGET)/demo

.PHONY: help setup build demo test lint fuzz subjects bench-overhead bench-gsl bench-lsga install uninstall clean

help: ## say what can be made
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 18

setup: ## install what this machine lacks
	@scripts/setup.sh

build: setup ## build tool, plugin and runtime in target/release
	$(CARGO) build --release --workspace
	scripts/pack-runtime.sh $(RELEASE)
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

subjects: build ## build and check GSL, Meschach and LAPACK
	$(CARGO) run --release -p lostbits-bench --bin subjects

bench-overhead: build ## measure the slowdown on twelve kernels
	$(CARGO) run --release -p lostbits-bench --bin overhead

bench-gsl: build ## search GSL's functions of one parameter, judged by mpmath (Atomu's Tables 4 and 5)
	$(CARGO) run --release -p lostbits-bench --bin search-gsl

bench-lsga: build ## compare the strategies on GSL's functions of several parameters
	$(CARGO) run --release -p lostbits-bench --bin search-lsga

install: build ## install under PREFIX (default /usr/local)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/lostbits
	install -m 755 $(RELEASE)/lostbits $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(addprefix $(RELEASE)/,$(PARTS)) $(DESTDIR)$(PREFIX)/lib/lostbits
	for link in $(LINKS); do ln -sf lostbits $(DESTDIR)$(PREFIX)/bin/$$link; done

uninstall: ## take it away again
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/bin/,lostbits $(LINKS))
	rm -rf $(DESTDIR)$(PREFIX)/lib/lostbits

clean: ## remove everything built
	$(CARGO) clean
