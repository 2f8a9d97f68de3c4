# SPDX-License-Identifier: Apache-2.0
#
# Every target has one line of help behind "##". CGO_ENABLED=0 in front of a target gives the portable build.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

GO ?= go
CXX ?= g++
BUILD := build
BRIDGE ?= auto
ARGS ?=
FUZZTIME ?= 600s
SUITE ?= summary
OUT ?=

# Packages without Parquet: lanes that recompile everything run these alone.
LIGHT = $(shell $(GO) list -f '{{.ImportPath}} {{join .Deps " "}} {{join .TestImports " "}} {{join .XTestImports " "}}' ./... | grep -v -E 'arrow-go/v18/parquet' | cut -d' ' -f1 | grep -v -E '/scripts|/host/cmd')

# A lane prints its name before and its seconds after.
LANE = @name='$@'; start=$$(date +%s); echo "== $$name"; trap 'code=$$?; echo "== $$name: $$(( $$(date +%s) - start )) s, exit $$code"' EXIT;

.PHONY: help
help: ## print this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: compiler
compiler:
	@if [ -n '$(FELL_BACK)' ]; then \
	  echo "No C++ compiler ($(CXX)) found: the portable Go kernels are used. For native speed install one"; \
	  echo "(Debian, Ubuntu: apt-get install g++), or set CXX; CGO_ENABLED=0 in front silences this."; fi

# With no compiler the build falls back to Go alone; what the user set always wins.
COMPILER := $(shell command -v $(firstword $(CXX)))
ifeq ($(origin CGO_ENABLED),undefined)
export CGO_ENABLED := $(if $(COMPILER),1,0)
FELL_BACK := $(if $(COMPILER),,yes)
endif

# BRIDGE=dlopen takes a library made here, unless TOMBOLO_LIBRARY names another.
ifeq ($(BRIDGE),dlopen)
TAGS := -tags tombolo_dlopen
LIBRARY := $(if $(TOMBOLO_LIBRARY),,$(CURDIR)/$(BUILD)/libtombolo.so.0)
export TOMBOLO_LIBRARY ?= $(LIBRARY)
endif

.PHONY: library
library:
	@if [ -n '$(LIBRARY)' ]; then echo "Compiling the native library with $(CXX) (half a minute) ..."; \
	  mkdir -p $(BUILD); CXX='$(CXX)' $(GO) run ./scripts/buildlib -o $(LIBRARY); fi

##@ Use

.PHONY: run
run: compiler library ## the main job on the embedded 50,000 flights; BRIDGE=auto|cgo|dlopen|portable ARGS=...
	@echo "Building the tombolo command (the first build takes minutes: Arrow, Parquet and the kernels) ..."
	$(GO) build $(TAGS) -o bin/tombolo ./host/cmd/tombolo
	./bin/tombolo run --bridge $(BRIDGE) --out $(BUILD)/run $(ARGS)

.PHONY: run-full
run-full: compiler library ## the main job on all 3,000,000 flights (fetches the data by npm once)
	@echo "Building the tombolo command (the first build takes minutes: Arrow, Parquet and the kernels) ..."
	$(GO) build $(TAGS) -o bin/tombolo ./host/cmd/tombolo
	$(GO) run ./scripts/data
	./bin/tombolo run --full --bridge $(BRIDGE) --out $(BUILD)/run-full $(ARGS)

.PHONY: bench
bench: compiler ## benchmark native against portable: SUITE=summary|boundary|job OUT=file ROWS= RUNS= NULL_EVERY=
	$(GO) -C bench run . -suite '$(SUITE)' -out '$(OUT)' -rows '$(ROWS)' -runs '$(RUNS)' -null-every '$(NULL_EVERY)'

##@ Test

.PHONY: test
test: compiler bootstrap ## go test ./... in the current mode, and the C++ unit tests
	$(LANE) $(GO) test ./...; if [ "$$CGO_ENABLED" != 0 ]; then $(MAKE) --no-print-directory ctest; fi

.PHONY: bootstrap
bootstrap:
	@scripts/bootstrap

.PHONY: ctest
ctest: ## the C and C++ unit tests, by CMake
	$(LANE) if ! command -v cmake >/dev/null || [ ! -d /usr/src/googletest -a ! -f /usr/include/gtest/gtest.h ]; then \
	  echo "skipped: ctest needs CMake and GoogleTest; type: apt-get install cmake ninja-build libgtest-dev"; exit 0; fi; \
	$(PRESET) run_preset ctest

.PHONY: test-all
test-all: check test-portable test-race test-cgocheck2 test-debug test-stress test-asan test-asan-go test-tsan test-arm64 test-cross test-planted test-module test-crossing ## every lane, one after the other

.PHONY: check
check: ## format, vet, house rules
	$(LANE) unformatted=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$unformatted" ]; then echo "gofmt: $$unformatted"; exit 1; fi; \
	$(GO) vet ./...; CGO_ENABLED=0 $(GO) vet ./...; $(GO) test ./scripts/...

.PHONY: test-portable
test-portable: ## all Go tests with cgo off
	$(LANE) CGO_ENABLED=0 $(GO) test ./...

.PHONY: test-race
test-race: ## the race detector
	$(LANE) CGO_ENABLED=1 $(GO) test -race -short $(LIGHT)

.PHONY: test-cgocheck2
test-cgocheck2: ## the runtime's strict check of pointers given to C
	$(LANE) CGO_ENABLED=1 GOEXPERIMENT=cgocheck2 $(GO) test -short $(LIGHT)

.PHONY: test-debug
test-debug: ## tag tombolo_debug: stacks, poison, a collection before each crossing (not the kernels' 100,000 calls)
	$(LANE) CGO_ENABLED=1 $(GO) test -short -tags tombolo_debug $(filter-out %/kerneltest,$(LIGHT))

.PHONY: test-stress
test-stress: ## 2,000 crossings with a collector that never rests
	$(LANE) CGO_ENABLED=1 GOGC=1 $(GO) test -count=1 -run 'Stress' -v ./bridge/... | grep -v -E '^=== '

.PHONY: test-asan-go
test-asan-go: ## Go tests with Go and C++ under the address sanitizer, with planted reads that must be found
	$(LANE) CGO_ENABLED=1 CGO_CXXFLAGS='-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined' \
	  CGO_LDFLAGS='-fsanitize=address,undefined' ASAN_OPTIONS=detect_leaks=0 $(GO) test -short -asan ./bridge/... ./ownership/... ./host/compute/...; \
	for test in TestPlantedReadPastABuffer TestPlantedReadAfterFree; do \
	  output=$$(CGO_ENABLED=1 CGO_CXXFLAGS='-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined' CGO_LDFLAGS='-fsanitize=address,undefined' \
	    ASAN_OPTIONS=detect_leaks=0 $(GO) test -short -asan -tags tombolo_planted -run "^$$test$$" ./bridge/cgolink 2>&1 || true); \
	  if grep -q AddressSanitizer <<<"$$output"; then echo "$$test: red, as it must be"; else echo "$$test: the fault went unseen"; echo "$$output"; exit 1; fi; done

# Ends a lane that wants a tool which is not there, in words.
NEED = need() { for tool in "$$@"; do command -v $$tool >/dev/null || { echo "skipped: $$tool is missing; type: scripts/bootstrap --all"; exit 0; }; done; };

# Configures, builds and runs the C++ tests of a preset of CMakePresets.json.
PRESET = run_preset() { cmake --preset $$1 >/dev/null; cmake --build --preset $$1 -j2 >/dev/null; ctest --preset $$1; };

.PHONY: test-asan
test-asan: ## C++ unit tests under ASan and UBSan, with a planted over-read and leak that must be found
	$(LANE) $(NEED) need cmake; $(PRESET) run_preset asan

.PHONY: test-tsan
test-tsan: ## C++ unit tests under TSan, with a planted race that must be found
	$(LANE) $(NEED) need cmake; $(PRESET) run_preset tsan

.PHONY: test-arm64
test-arm64: ## arm64 under qemu: the C++ unit tests, and the Go packages of the crossing
	$(LANE) $(NEED) need cmake qemu-aarch64 aarch64-linux-gnu-g++; $(PRESET) run_preset arm64; \
	GOARCH=arm64 CGO_ENABLED=1 CC=aarch64-linux-gnu-gcc CXX=aarch64-linux-gnu-g++ $(GO) test -short \
	  -exec 'qemu-aarch64 -L /usr/aarch64-linux-gnu' ./ownership/... ./bridge/abi ./bridge/cgolink ./bridge/conformance ./bridge/dlopen/...

.PHONY: test-planted
test-planted: ## faults planted in Go code: each must turn its test red
	$(LANE) for test in ./ownership/ledger:TestPlantedLeak ./bridge/abi:TestPlantedUnpinnedExport; do \
	  output=$$(CGO_ENABLED=0 $(GO) test -count=1 -tags 'tombolo_planted tombolo_debug' -run "^$${test##*:}$$" $${test%%:*} 2>&1 || true); \
	  if grep -q -- "--- FAIL: $${test##*:}" <<<"$$output"; then echo "$$test: red, as it must be"; \
	  else echo "$$test: the fault went unseen"; echo "$$output"; exit 1; fi; done

.PHONY: test-bare
test-bare: ## the two commands on a bare Debian (needs root and debootstrap)
	$(LANE) $(GO) run ./scripts/bare 'make run' 'make run CGO_ENABLED=0' 'make test'

.PHONY: test-module
test-module: ## a fresh module takes this one as a zip: cgo, no cgo, vendored
	$(LANE) $(GO) run ./scripts/freshmodule

.PHONY: test-crossing
test-crossing: ## a million exports and releases, a third on foreign C threads; cgo on and off
	$(LANE) for cgo in 1 0; do echo "cgo $$cgo"; CGO_ENABLED=$$cgo $(GO) -C ctests/crossing test -count=1 ./...; done

.PHONY: test-cross
test-cross: ## Windows and macOS compile
	$(LANE) for os in windows darwin; do for arch in amd64 arm64; do echo "$$os/$$arch"; GOOS=$$os GOARCH=$$arch CGO_ENABLED=0 $(GO) build ./... ; done; done

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME each
	$(LANE) $(GO) run ./scripts/fuzz -time $(FUZZTIME); $(MAKE) --no-print-directory fuzz-native

.PHONY: fuzz-native
fuzz-native: ## the C++ fuzz targets, by clang's libFuzzer, for FUZZTIME each
	$(LANE) command -v clang++ >/dev/null || { echo "skipped: no clang; type: scripts/bootstrap --all"; exit 0; }; \
	cmake -S . -B $(BUILD)/fuzz -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
	  -DTOMBOLO_FUZZ=ON '-DTOMBOLO_SANITIZE=address;undefined' >/dev/null; \
	cmake --build $(BUILD)/fuzz -j2 >/dev/null; \
	for target in $(BUILD)/fuzz/ctests/fuzz/*_fuzz; do $$target -max_len=600 -verbosity=0 -max_total_time=$(patsubst %s,%,$(FUZZTIME)); echo "clean: $$target"; done

.PHONY: fmt
fmt: ## format Go and C++
	gofmt -w $$(git ls-files '*.go')
	clang-format -i $$(git ls-files 'native/*.h' 'native/*.cc' 'ctests/*.cc' 'ctests/*.h')

.PHONY: clean
clean: ## remove what was built
	rm -rf $(BUILD) bin
