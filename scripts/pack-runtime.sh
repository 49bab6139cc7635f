#!/bin/sh
# Builds the runtime and packs it into one object: pack-runtime.sh OUTDIR
#
# A program that is linked with OUTDIR/lostbits_runtime.o gets the runtime and nothing else: what the
# runtime does not need of the Rust library is dropped, and everything but __lostbits* is made local, so
# that it cannot clash with the program's own functions or its own Rust library.
set -eu

if [ $# -ne 1 ]; then
    echo "usage: pack-runtime.sh OUTDIR (the folder for lostbits_runtime.o)" >&2
    exit 2
fi
for tool in cargo ld objcopy readelf; do
    command -v "$tool" >/dev/null || {
        echo "pack-runtime.sh: $tool is missing: install Rust and the package binutils" >&2
        exit 2
    }
done

out=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/.."
cargo build --quiet --release --package lostbits-runtime --lib
archive=${CARGO_TARGET_DIR:-target}/release/liblostbits_runtime.a

# Each exported function is a root; the linker keeps what can be reached from them.
roots=$(readelf --archive-index "$archive" | sed -n 's/^[[:space:]]*\(__lostbits.*\)$/--undefined=\1/p')

# Made beside its final name and moved there, so that a build that is running never sees half of it.
draft=$(mktemp "$out/lostbits_runtime.XXXXXX")
trap 'rm -f "$draft"' EXIT
# shellcheck disable=SC2086
ld --relocatable --gc-sections $roots "$archive" -o "$draft"
objcopy --strip-unneeded --remove-section=.llvmbc --remove-section=.llvmcmd --remove-section=.comment \
    --wildcard --keep-global-symbol='__lostbits*' "$draft"
chmod 644 "$draft"
mv "$draft" "$out/lostbits_runtime.o"
