# `make run` and `make test` are all that a new machine with a Swift toolchain needs.

PREFIX ?= /usr/local
PIPELINE ?= pipelines/blender.json
SCAN ?= samples/living-room.obj
OUT ?= out

# A release stands alone: it does not need the toolchain's libraries where it runs.
STATIC := $(if $(filter Linux,$(shell uname -s)),--static-swift-stdlib)
RELEASE := --configuration release --product meshpipe $(STATIC)
MESHPIPE = $(shell swift build $(RELEASE) --show-bin-path)/meshpipe

# Tests are optimised file by file: their build takes as long as without, and they a fifth of the time. Its folder is
# another one than that of plain builds, which other flags would begin anew.
TESTS := .build/tests
OPTIMIZED := --scratch-path $(TESTS) -Xswiftc -O -Xcc -O2
SWIFT_TEST = MESHPIPE_SCRATCH_PATH=$(TESTS) swift test $(OPTIMIZED)
ONLY ?=

# See Package.swift; looked for anew by each command, for 'setup' may just have installed it.
export MESHPIPE_EMBREE = $(shell test -e /usr/include/embree3/rtcore.h && ! test -e /usr/include/embree4/rtcore.h && echo embree3 || echo embree4)

# Likewise.
export MESHPIPE_THREE ?= $(wildcard /usr/share/javascript/three/three.min.js)

ROOT = $(DESTDIR)$(PREFIX)
SHARE = $(ROOT)/share/meshpipe
HEADER = Sources/CLibraries/CMeshpipePlugin/include/meshpipe_plugin.h
MANUAL = $(ROOT)/share/man/man1/meshpipe.1
COMPLETIONS = $(ROOT)/share/bash-completion/completions/meshpipe \
  $(ROOT)/share/zsh/site-functions/_meshpipe $(ROOT)/share/fish/vendor_completions.d/meshpipe.fish

.PHONY: build run test compile-fuzzer sanitize bench bench-kernels bench-plans setup checkers lint docs reference site install dist uninstall clean help

# Without it, only the version is shown. Another commit compiles one file and links.
build: export MESHPIPE_REVISION = $(shell packaging/revision.sh)
build: setup ## build the command
	@test -d .build/release || echo "The first build takes about ten minutes on two cores."
	swift build $(RELEASE)

run: build ## build, then run PIPELINE on SCAN into OUT
	@mkdir -p $(OUT)
	$(MESHPIPE) run $(PIPELINE) $(SCAN) -o $(OUT)/
	@echo "The results are in $(OUT):" && ls -l $(OUT)

test: checkers ## build for tests and run all of them, or those that ONLY=REGEX names
	@test -d $(TESTS) || echo "The first build for tests takes about eleven minutes on two cores, and the tests six."
	@rm -f $(TESTS)/events.jsonl
	$(SWIFT_TEST) --xunit-output $(TESTS)/results.xml --event-stream-output-path $(TESTS)/events.jsonl \
	  $(if $(ONLY),--filter '$(ONLY)') && passed=yes; \
	Tools/suite_seconds.py $(TESTS)/events.jsonl Tests/budgets.txt \
	  $(if $(ONLY),,--record $(TESTS)/seconds.json $(CHECK_SECONDS)) && test "$$passed"

# A machine that lacks checkers skips what takes longest, so that others have a larger share.
CHECK_SECONDS = $(if $(filter 1,$(MESHPIPE_REQUIRE_CHECKERS)),--check)

compile-fuzzer: ## compile the fuzzer, which Tools/fuzz.sh builds with a sanitizer and runs
	MESHPIPE_FUZZ=1 swift build $(OPTIMIZED) --target Fuzz

# Optimised, for the sake of time. Bits of Swift's own tables look like leaks, and SIGBUS has a handler of ours.
sanitize: checkers ## run all tests with AddressSanitizer, then with ThreadSanitizer (an hour)
	ASAN_OPTIONS=detect_leaks=0:handle_sigbus=0:allocator_may_return_null=1 swift test --configuration release --sanitize address --scratch-path .build/address
	TSAN_OPTIONS=atexit_sleep_ms=0 swift test --configuration release --sanitize thread --scratch-path .build/thread

bench: build ## time whole jobs beside other programs, into Benchmarks/RESULTS.md (half an hour)
	@Tools/setup.sh peers
	.build/peers/bin/python Benchmarks/bench.py $(MESHPIPE) --plot Benchmarks/decimation.png --output Benchmarks/RESULTS.md $(BENCH)

bench-kernels: setup ## time parsers, writers and stages one by one
	swift run --configuration release $(STATIC) KernelBenchmark

bench-plans: setup ## compare plans of made-up scans with the truth, of seeds 1-10 or SEEDS
	MESHPIPE_PLAN_SEEDS=$(or $(SEEDS),1-10) $(SWIFT_TEST) --filter DetectRoomsAccuracyTests

setup: ## install missing system packages
	@Tools/setup.sh

checkers: ## set up what the tests check results with: Blender, trimesh, jsonschema
	@Tools/setup.sh checkers

lint: ## check the formatting
	swift format lint --recursive --strict Sources Tests Package.swift

docs: build ## generate the pages of docs that come from declarations, and their pictures
	MESHPIPE_UPDATE_DOCS=1 MESHPIPE_COMMAND=$(abspath $(MESHPIPE)) $(SWIFT_TEST) --filter Documentation

# The path of the site on its host; the reference has it in its pages.
SITE_PATH ?=
reference: setup ## build the reference of the Swift library with DocC, in .build/site/reference
	swift build $(OPTIMIZED) --target MeshpipeKit
	Tools/reference.py $(TESTS)/debug .build/site/reference $(SITE_PATH)/reference

site: ## build the documentation as a site with search, in .build/site
	@Tools/setup.sh site
	NO_MKDOCS_2_WARNING=1 .build/site-venv/bin/mkdocs build --strict --quiet
	@$(if $(shell command -v swift),$(MAKE) --no-print-directory reference,echo "The reference of the library is left out: there is no 'swift'.")
	@echo "The site is .build/site/index.html; for its search serve it: python3 -m http.server -d .build/site"

install: build ## install command, pipelines and completions under PREFIX
	install -d $(ROOT)/bin $(ROOT)/include $(SHARE)/docs $(SHARE)/pipelines $(SHARE)/python/meshpipe $(dir $(MANUAL) $(COMPLETIONS))
	install -s $(MESHPIPE) $(ROOT)/bin/meshpipe
	install -m 644 pipelines/*.json $(SHARE)/pipelines
	install -m 644 docs/pipeline.schema.json $(SHARE)/docs
	install -m 644 bindings/python/meshpipe/*.py bindings/python/meshpipe/py.typed $(SHARE)/python/meshpipe
	install -m 644 $(HEADER) $(ROOT)/include
	install -m 644 docs/meshpipe.1 $(MANUAL)
	$(ROOT)/bin/meshpipe completions bash > $(word 1,$(COMPLETIONS))
	$(ROOT)/bin/meshpipe completions zsh > $(word 2,$(COMPLETIONS))
	$(ROOT)/bin/meshpipe completions fish > $(word 3,$(COMPLETIONS))

dist: ## make packages that need no compiler, in dist/ (Linux)
	@MAKE='$(MAKE)' packaging/dist.sh

uninstall: ## remove what install made
	rm -rf $(ROOT)/bin/meshpipe $(ROOT)/include/meshpipe_plugin.h $(SHARE) $(MANUAL) $(COMPLETIONS)

clean: ## remove what was built and the results of run
	swift package clean
	rm -rf $(OUT) dist

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "%-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "Variables: PIPELINE=$(PIPELINE) SCAN=$(SCAN) OUT=$(OUT) PREFIX=$(PREFIX)"
