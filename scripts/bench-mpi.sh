#!/bin/sh
# What shadows cost messages: a ping-pong over sizes, and a stencil with halo exchange, native and in each mode. `make bench-mpi`.
#   scripts/bench-mpi.sh FOLDER-WITH-LOSTBITS
# A round of the ping-pong is measured by the wall clock, the least of 40 batches; the stencil by the processor time of all ranks,
# the least of 3 runs, without what starting and ending MPI takes. It runs under Open MPI, whose ranks yield the processor when they wait;
# LOSTBITS_MPI=off leaves its messages untracked.
set -eu
home=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")/.." && pwd)/bench/mpi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_CC="$home/lostbits-cc" MPICH_CC="$home/lostbits-cc"
modes="off watch explain"

# Processor time of a command and all that it started, in seconds.
processor_time() {
    bash -c 'TIMEFORMAT="%U %S"; { time "$@" >/dev/null 2>/dev/null; } 2>&1' - "$@" | awk '{ print $1 + $2 }'
}
least_of_three() {
    for i in 1 2 3; do processor_time "$@"; done | sort -n | head -n 1
}

for mpi in openmpi mpich; do
    command -v mpicc.$mpi >/dev/null || continue
    for mode in $modes; do
        LOSTBITS_MODE=$mode mpicc.$mpi -O2 "$here/ping_pong.c" -o ping_pong-$mode 2>/dev/null
        mpirun.$mpi -np 2 ./ping_pong-$mode 2>&1 | awk '$1 == "time" { print $2, $3 }' >times-$mode
    done
    echo "$mpi, microseconds of a round between two ranks"
    echo
    echo "| bytes | native | watch | explain |"
    echo "| --- | --- | --- | --- |"
    paste -d ' ' times-off times-watch times-explain |
        awk '{ printf "| %d | %.1f | %.1f (%.1fx) | %.1f (%.1fx) |\n", $1, $2, $4, $4 / $2, $6, $6 / $2 }'
    echo
done

echo "a stencil on four ranks (openmpi), processor seconds"
echo
measured() {
    least=$(least_of_three "$@" 64 0)
    echo "$(least_of_three "$@" 256 400) $least" | awk '{ print $1 - $2 }'
}
mpi=openmpi
for mode in $modes; do
    LOSTBITS_MODE=$mode mpicc.$mpi -O2 "$here/halo.c" -o halo-$mode 2>/dev/null
    echo "$mode $(measured mpirun.$mpi -np 4 ./halo-$mode)"
    test $mode = off || echo "$mode-untracked $(measured env LOSTBITS_MPI=off mpirun.$mpi -np 4 ./halo-$mode)"
done | awk '{ if (NR == 1) native = $2; printf "%s %.2f (%.1fx)\n", $1, $2, $2 / native }'
