# pgtop-offcpu: build, test, demo, install. `make help` lists the targets.

VERSION := 0.1.0
PROG    := pgtop-offcpu
B       ?= build

prefix  ?= /usr/local
sbindir ?= $(prefix)/sbin
mandir  ?= $(prefix)/share/man
DESTDIR ?=

CC      ?= gcc
CLANG   ?= clang
BPFTOOL ?= $(shell PATH=$$PATH:/usr/sbin:/sbin command -v bpftool || echo bpftool)
AWK     ?= awk
PYTHON  ?= /usr/bin/python3

CFLAGS   ?= -O2 -g
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
	-Wpointer-arith -Wwrite-strings -Wundef -Wvla -Wformat=2 -Wno-format-nonliteral
WERROR   ?= -Werror
CPPFLAGS += -Isrc -Ibpf -I$(B)/gen -D_GNU_SOURCE -DPGTOP_VERSION='"$(VERSION)"'
CFLAGS_ALL = -std=gnu11 $(WARNINGS) $(WERROR) $(CFLAGS)
LIBS     := -lbpf -lelf -lz -lncursesw -ltinfo -lm

# SANITIZE=address,undefined with a build folder of its own: make B=build-asan SANITIZE=...
ifdef SANITIZE
CFLAGS_ALL += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
LDFLAGS    += -fsanitize=$(SANITIZE)
endif

SRC      := $(filter-out src/main.c,$(wildcard src/*.c)) $(wildcard ui/*.c)
OBJ      := $(SRC:%.c=$(B)/%.o)
LIB      := $(B)/libpgtop.a
GEN      := $(B)/gen/offcpu.skel.h $(B)/gen/waitevent_tables.h
UNIT     := $(patsubst tests/unit/%.c,$(B)/tests/unit/%,$(wildcard tests/unit/test_*.c))
HELPERS  := $(patsubst %.c,$(B)/%,$(wildcard tests/integration/*.c))
TESTLIB  := $(patsubst %.c,$(B)/%.o,$(wildcard tests/lib/*.c))

all: $(B)/$(PROG)

help:
	@sed -n 's/^#@ //p' Makefile
#@ make                 build the program, build/pgtop-offcpu (in another folder: B=DIR)
#@ make demo            install what is missing, start a private PostgreSQL under load, open the monitor
#@ make check           install what is missing, build, run all tests (as root)
#@ make check-unit      the tests that need no root
#@ make check-asan      all unit tests and fuzzers under the address and undefined sanitizers
#@ make bench           what the monitor costs, as ratios
#@ make install         DESTDIR= prefix=; uninstall likewise
#@ make format-check    clang-format; make tidy: clang-tidy and cppcheck
#@ make deps deps-test  the packages to build, the packages to test

# ---- the BPF object, inside the program as a skeleton -------------------------------------------

BPF_ARCH := $(shell uname -m | sed 's/x86_64/x86/; s/aarch64/arm64/; s/ppc64le/powerpc/; s/s390x/s390/')

# Relative paths and no compilation folder: the object is the same wherever it is built.
$(B)/bpf/offcpu.o: $(wildcard bpf/*.c bpf/*.h)
	@mkdir -p $(@D)
	$(CLANG) -target bpf -mcpu=v3 -O2 -g -Wall -Wextra -Wno-unused-parameter $(WERROR) -D__TARGET_ARCH_$(BPF_ARCH) \
		-fdebug-compilation-dir=. -idirafter /usr/include/$(shell $(CC) -print-multiarch) -c bpf/offcpu.bpf.c -o $@

$(B)/bpf/offcpu.bpf.o: $(B)/bpf/offcpu.o
	$(BPFTOOL) gen object $@ $<

$(B)/gen/offcpu.skel.h: $(B)/bpf/offcpu.bpf.o
	@mkdir -p $(@D)
	$(BPFTOOL) gen skeleton $< name offcpu_bpf >$@.tmp && mv $@.tmp $@

$(B)/gen/waitevent_tables.h: src/waitevents/gen.awk $(wildcard src/waitevents/*.tsv)
	@mkdir -p $(@D)
	$(AWK) -f src/waitevents/gen.awk $(sort $(wildcard src/waitevents/*.tsv)) >$@.tmp && mv $@.tmp $@

# ---- the program --------------------------------------------------------------------------------

$(B)/$(PROG): $(B)/src/main.o $(LIB)
	$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $< $(LIB) $(LIBS)

$(LIB): $(OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(B)/%.o: %.c | $(GEN)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

-include $(shell find $(B) -name '*.d' 2>/dev/null)

# ---- tests --------------------------------------------------------------------------------------

$(B)/tests/unit/%: $(B)/tests/unit/%.o $(TESTLIB) $(LIB)
	$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $< $(TESTLIB) $(LIB) -lcmocka $(LIBS)

# The screen over a fixed snapshot: make B=build build/tests/screen/show_fixture
$(B)/tests/screen/%: $(B)/tests/screen/%.o $(TESTLIB) $(LIB)
	$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $< $(TESTLIB) $(LIB) -lcmocka $(LIBS)

$(B)/tests/integration/%: $(B)/tests/integration/%.o $(LIB)
	$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $< $(LIB) $(LIBS)

$(B)/tests/%.o: CPPFLAGS += -I. -Itests/lib

unit: $(UNIT) $(HELPERS)

check-unit: $(B)/$(PROG) $(UNIT)
	tests/run --build $(B) unit layering

# ---- packages, checks, demo, benchmark, installation ---------------------------------------------
#
# A target that installs packages calls make again for the rest, so that what was looked up before
# (the path of bpftool) is looked up anew.

DEPS       := gcc clang make libc6-dev linux-libc-dev libbpf-dev libelf-dev zlib1g-dev \
	libncurses-dev bpftool
DEPS_DEMO  := python3 postgresql procps util-linux
DEPS_TEST  := $(DEPS_DEMO) libcmocka-dev tmux valgrind clang-format clang-tidy cppcheck \
	libclang-rt-14-dev locales man-db groff-base libcap2-bin strace git python3-pil \
	fonts-dejavu-core
DEPS_BENCH := $(DEPS_DEMO) bpftrace libbpf-tools linux-perf

NEED  := tests/lib/need-packages
AGAIN  = $(MAKE) --no-print-directory
JOBS  := -j$(shell nproc 2>/dev/null || echo 2)

deps:
	@$(NEED) $(DEPS)

deps-test: deps
	@$(NEED) $(DEPS_TEST)

deps-bench: deps
	@$(NEED) $(DEPS_BENCH)

ASAN := B=build-asan SANITIZE=address,undefined CFLAGS='-O1 -g'

FUZZ := B=$(B)/fuzz CC=$(CLANG) SANITIZE= CFLAGS='-O1 -g -fsanitize=fuzzer-no-link $(FUZZ_FLAGS)'

# Everything is built by gcc and by clang, without a warning, and tested.
check: deps-test
	@$(AGAIN) $(JOBS) all unit
	@$(AGAIN) $(JOBS) B=build-clang CC=clang all unit
	@$(AGAIN) $(JOBS) $(ASAN) all unit
	@$(AGAIN) $(JOBS) $(FUZZ) fuzz-build
	@tests/run --build $(B) layering format docs unit unit@build-clang unit@build-asan fuzz \
		integration screen

check-asan: deps-test
	@$(AGAIN) $(JOBS) $(ASAN) all unit
	@$(AGAIN) $(JOBS) $(FUZZ) fuzz-build
	@tests/run --build $(B) unit@build-asan fuzz

demo: deps
	@$(NEED) $(DEPS_DEMO)
	@$(AGAIN) $(JOBS) all
	@$(PYTHON) tests/demo/demo.py --program $(B)/$(PROG)

bench: deps-bench
	@$(AGAIN) $(JOBS) all
	@$(PYTHON) tests/bench/bench.py --build $(B)

install: $(B)/$(PROG)
	install -D -m 755 $(B)/$(PROG) $(DESTDIR)$(sbindir)/$(PROG)
	install -D -m 644 man/$(PROG).8 $(DESTDIR)$(mandir)/man8/$(PROG).8

uninstall:
	rm -f $(DESTDIR)$(sbindir)/$(PROG) $(DESTDIR)$(mandir)/man8/$(PROG).8

format-check:
	@tests/run format layering

tidy: deps-test
	@$(AGAIN) $(JOBS) all
	clang-tidy --quiet $(filter-out %.bpf.c,$(wildcard src/*.c ui/*.c)) -- -std=gnu11 \
		$(subst -I$(B)/gen,-isystem $(B)/gen,$(CPPFLAGS))
	cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
		--error-exitcode=1 --suppress=missingIncludeSystem --suppress=resourceLeak \
		--suppress=objectIndex $(filter-out -D%,$(CPPFLAGS)) -D_GNU_SOURCE src ui

clean:
	rm -rf build build-*

.PHONY: all help unit check-unit clean deps deps-test deps-bench check check-asan demo bench \
	install uninstall format-check tidy
.SECONDARY:
.DELETE_ON_ERROR:

# ---- fuzzing ------------------------------------------------------------------------------------
#@ make fuzz            run every fuzzer for FUZZ_SECONDS (10); fuzz-replay: only their corpus

FUZZ_SECONDS ?= 10
FUZZERS      := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_FLAGS   := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

# As plain programs over the fixed corpus, with whatever compiler and sanitizer the build has.
$(B)/tests/fuzz/replay_%: $(B)/tests/fuzz/fuzz_%.o $(B)/tests/fuzz/replay_main.o $(TESTLIB) $(LIB)
	$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ -lcmocka $(LIBS)

fuzz-replay: $(FUZZERS:%=$(B)/tests/fuzz/replay_%)
	@set -e; for f in $(FUZZERS); do \
		echo "fuzz-replay: $$f"; $(B)/tests/fuzz/replay_$$f tests/fuzz/corpus/$$f; done

$(B)/fuzz_%: $(B)/tests/fuzz/fuzz_%.o $(TESTLIB) $(LIB)
	$(CC) $(CFLAGS_ALL) -fsanitize=fuzzer -o $@ $^ -lcmocka $(LIBS)

fuzz-build: $(FUZZERS:%=$(B)/fuzz_%)

# A build of its own under $(B)/fuzz. What the fuzzers find stays there, the seeds are not touched.
fuzz:
	$(MAKE) B=$(B)/fuzz CC=$(CLANG) SANITIZE= \
		CFLAGS="-O1 -g -fsanitize=fuzzer-no-link $(FUZZ_FLAGS)" fuzz-build
	@set -e; for f in $(FUZZERS); do \
		echo "fuzz: $$f for $(FUZZ_SECONDS) s"; mkdir -p $(B)/fuzz/corpus/$$f; \
		$(B)/fuzz/fuzz_$$f -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=$(B)/fuzz/$$f- \
			$(B)/fuzz/corpus/$$f tests/fuzz/corpus/$$f >$(B)/fuzz/$$f.log 2>&1 || \
			{ tail -n 60 $(B)/fuzz/$$f.log; exit 1; }; \
		tail -n 1 $(B)/fuzz/$$f.log; done

.PHONY: fuzz fuzz-build fuzz-replay
