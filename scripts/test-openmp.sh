#!/bin/sh
# OpenMP on the host: losses behind reductions, tasks and SIMD are found, and a report of reproducibility says what depends on the number of
# threads. `make test-openmp`.
#   scripts/test-openmp.sh FOLDER-WITH-LOSTBITS
set -eu
home=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")/.." && pwd)/tests/openmp
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0
LOSTBITS_MODE=off "$home/lostbits-cc" -O2 -fopenmp "$here/threads.c" -o native
LOSTBITS_MODE=explain "$home/lostbits-cc" -O2 -g -fopenmp "$here/threads.c" -o threads
export OMP_NUM_THREADS=2

# found WAY ARGUMENT MARK TEXT: the line with this mark is proved to be the cause, and the report has the text.
found() {
    ./native "$1" "$2" >expected
    "$home/lostbits" explain --also OMP_NUM_THREADS=3 --also OMP_NUM_THREADS=1 ./threads -- "$1" "$2" >output 2>report && code=0 || code=$?
    line=$(grep -n "$3 \*/" "$here/threads.c" | cut -d : -f 1)
    if [ $code = 1 ] && cmp -s expected output && grep -q "^error: " report && grep -q "threads.c:$line:" report && grep -q "$4" report; then
        echo "$1: found"
    else
        echo "FAILED: $1: exit $code: $(cat report)"
        failures=$((failures + 1))
    fi
}
found reduction 0.3 PLANTED "1 output has the same value however"
found tasks 0.3 PLANTED "1 output has the same value however"
found simd 0.3 "PLANTED SIMD" "1 output has the same value however"
found order 1e17 "PLANTED ORDER" "depends on how the program is started: computed values differ in digit 1, exact arithmetic does not"
test $failures -eq 0
