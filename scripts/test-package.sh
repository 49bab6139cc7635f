#!/bin/sh
# Unpacks the package and the tarball, and uses what is in them: the tool must find its parts by itself.
#   scripts/test-package.sh FOLDER
set -eu
packages=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
dpkg-deb --extract "$packages"/lostbits_*.deb "$folder/deb"
mkdir "$folder/tar" && tar -C "$folder/tar" --strip-components=1 -xJf "$packages"/lostbits-*.tar.xz
sources=$(pwd)/tests/demo/drop.c

for root in "$folder/deb/usr" "$folder/tar"; do
    export PATH="$root/bin:$PATH"
    unset LOSTBITS_HOME || true
    [ "$(command -v lostbits)" = "$root/bin/lostbits" ]
    lostbits doctor | grep -q "$root/lib/lostbits/liblostbits_pass.so"
    (cd "$folder" && lostbits explain "$sources" -O2 -lm -- 0.5 >/dev/null 2>report) && exit 1
    grep -q '2 of 6' "$folder/report"
    (cd "$folder" && lostbits-cc -O2 "$sources" -o drop -lm && ./drop 10 | grep -q 'over 10 m')
    # Runs with more precision need the runtime with MPFR.
    (cd "$folder" && lostbits explain --precision 128 "$sources" -O2 -lm -- 0.5 >/dev/null 2>report) && exit 1
    grep -q '2 of 6' "$folder/report"
    ls "$root"/share/man/man1/lostbits-explain.1* "$root/share/bash-completion/completions/lostbits" >/dev/null
    ls "$root/share/zsh/site-functions/_lostbits" "$root/share/fish/vendor_completions.d/lostbits.fish" >/dev/null
done
# As on a machine with the package and a clone in which nothing was built.
(
    export PATH="$folder/deb/usr/bin:$PATH"
    started=$(date +%s%N)
    make --no-print-directory demo CARGO_TARGET_DIR="$folder/nothing" >"$folder/demo" 2>&1 &
    demo=$!
    until grep -q 'error: subtraction' "$folder/demo"; do
        kill -0 "$demo" 2>/dev/null || { cat "$folder/demo"; exit 1; }
        sleep 0.1
    done
    echo "make demo: first report after $((($(date +%s%N) - started) / 1000000)) ms"
    wait "$demo"
    ! grep -q 'cargo\|built in' "$folder/demo"
    grep -q 'drop.html' "$folder/demo"
)
dpkg-deb --field "$packages"/lostbits_*.deb Depends | grep -q clang-22
echo "the package and the tarball work"
