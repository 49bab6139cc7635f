#!/bin/sh
# Builds a wheel of what is built in RELEASE: scripts/wheel.sh RELEASE OUTPUT
set -eu
release=$1
output=$2
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
[ -n "$version" ] || { echo "wheel: Cargo.toml has no version" >&2; exit 2; }
tree=$output/tree
rm -rf "$tree"
mkdir -p "$output"
make --no-print-directory --silent install-files RELEASE="$release" DESTDIR="$tree" PREFIX=
strip --strip-unneeded "$tree/bin/lostbits" "$tree/bin/lostbits-z3"
"$release/lostbits-cc" --lostbits-mode=explain -O1 -g -fPIC -shared python/lostbits/output.c -o "$output/output.so"
strip --strip-debug "$output/output.so"
python3 scripts/wheel.py "$tree" "$version" "$output"
rm -rf "$tree"
