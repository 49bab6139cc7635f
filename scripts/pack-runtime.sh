#!/bin/sh
# Builds the runtimes and packs each into one object: pack-runtime.sh OUTDIR
#
# A program that is linked with OUTDIR/lostbits_runtime.o gets the runtime and nothing else: what the
# runtime does not need of the Rust library is dropped, and everything but __lostbits* is made local, so
# that it cannot clash with the program's own functions or its own Rust library. `sigaction` and `signal` are
# replaced (crates/runtime/src/faults.rs), weakly: definitions of the program's own are used instead.
# OUTDIR/lostbits_runtime_reals.o is the same with GMP and MPFR, for the modes that compute with them.
set -eu

if [ $# -ne 1 ]; then
    echo "usage: pack-runtime.sh OUTDIR (the folder for lostbits_runtime.o)" >&2
    exit 2
fi
for tool in as cargo ld objcopy readelf; do
    command -v "$tool" >/dev/null || {
        echo "pack-runtime.sh: $tool is missing: install Rust and the package binutils" >&2
        exit 2
    }
done

out=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/.."
cargo build --quiet --release --package lostbits-runtime --package lostbits-runtime-reals --lib

# pack NAME: makes OUTDIR/NAME.o of libNAME.a
pack() {
    archive=${CARGO_TARGET_DIR:-target}/release/lib$1.a
    # Each exported function is a root; the linker keeps what can be reached from them.
    roots=$(readelf --archive-index "$archive" |
        sed -n 's/^[[:space:]]*\(__lostbits.*\)$/--undefined=\1/p')
    # Code that cannot panic but does not know it would bring along all that Rust prints and unwinds a
    # panic with; a handler of ours, which comes first, keeps it out.
    panics=$(readelf --archive-index "$archive" | sed -n 's/^[[:space:]]*\(.*rust_begin_unwind\)$/\1/p')
    handler=$(mktemp "$out/$1.XXXXXX")
    printf '.section .text.%s,"ax"\n.globl %s\n%s: ud2\n.section .note.GNU-stack\n' \
        "$panics" "$panics" "$panics" | as -o "$handler"
    # Made beside its final name and moved there, so that a build that is running never sees half of it.
    draft=$(mktemp "$out/$1.XXXXXX")
    trap 'rm -f "$draft" "$handler"' EXIT
    replaced='--undefined=program_signal --defsym=sigaction=program_sigaction --defsym=signal=program_signal'
    # shellcheck disable=SC2086
    ld --relocatable --gc-sections --allow-multiple-definition $replaced $roots "$handler" "$archive" -o "$draft"
    # `malloc` is only looked up (heap.rs): parts of the Rust library that are dropped refer to it strongly.
    objcopy --strip-unneeded --remove-section=.llvmbc --remove-section=.llvmcmd \
        --remove-section=.comment --weaken-symbol=malloc --weaken-symbol=sigaction --weaken-symbol=signal \
        --wildcard --keep-global-symbol='__lostbits*' --keep-global-symbol=sigaction --keep-global-symbol=signal "$draft"
    chmod 644 "$draft"
    mv "$draft" "$out/$1.o"
    rm -f "$handler"
}

pack lostbits_runtime
pack lostbits_runtime_reals
