#!/bin/sh
# Makes the binary seeds of fuzz/corpus anew: records, site tables, debug information, results of a search. Needed when one of
# these formats changes. The other seeds are text, written by hand.
#
#   scripts/fuzz-seeds.sh [FOLDER]      FOLDER (default target/release) holds lostbits and its parts
set -eu
cd "$(dirname "$0")/.."
corpus=$PWD/fuzz/corpus
lostbits=$(cd "${1:-target/release}" && pwd)/lostbits
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Seeds hold names relative to this folder, so they are the same on every machine.
cd "$folder"

cat > seed.c <<'C'
#include <stdio.h>
__attribute__((noinline)) double f(double x, int n) { return (x + 1e16) - 1e16 + n * 0.1; }
int main(int argc, char **argv) {
    volatile double x = argc;
    double y = f(x, argc);
    if (y > 0.5) printf("%.17g\n", y);
    return 0;
}
C
map="-ffile-prefix-map=$folder=. -fdebug-compilation-dir=."
for mode in same watch explain; do
    # shellcheck disable=SC2086
    "$lostbits" cc "--lostbits-mode=$mode" -O1 -g $map seed.c -c -o "$mode.o"
    "$lostbits" cc "--lostbits-mode=$mode" "$mode.o" -o "prog-$mode"
done
mkdir -p "$corpus/record" "$corpus/site-table" "$corpus/signature" "$corpus/resume"
"$lostbits" run -q --record "$corpus/record/same" ./prog-same > output
"$lostbits" watch --record "$corpus/record/watch" ./prog-watch > output 2>&1 || [ $? -eq 1 ]
"$lostbits" explain --record "$corpus/record/explain" ./prog-explain > output 2>&1 || [ $? -eq 1 ]
# The counters of the last sites as large as can be: sums of them overflow.
{ head -c -192 "$corpus/record/same"; head -c 192 /dev/zero | tr '\0' '\377'; } > "$corpus/record/counts-that-overflow"
cp same.o "$corpus/site-table/object"
ar rcD "$corpus/site-table/archive" watch.o same.o
# shellcheck disable=SC2086
"$lostbits" cc --lostbits-mode=off -g1 $map seed.c -c -o plain.o
cp plain.o "$corpus/site-table/plain"
# shellcheck disable=SC2086
"$lostbits" cc --lostbits-mode=off -O1 -g $map -nostdlib -fPIC -c seed.c -o library.o
cp library.o "$corpus/signature/library"
rm -f results
"$lostbits" search '(x + 1) - x' --runs 2000 --seed 1 --resume results > output 2>&1 || [ $? -eq 1 ]
cp results "$corpus/resume/results"
chmod 644 "$corpus"/*/*
