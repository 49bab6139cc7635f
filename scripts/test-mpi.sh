#!/bin/sh
# Shadows travel with MPI's messages: `make test-mpi`. Installs Open MPI and MPICH.
#   scripts/test-mpi.sh FOLDER-WITH-LOSTBITS [SEEDS]
set -eu
home=$(cd "$1" && pwd)
seeds=${2:-20}
here=$(cd "$(dirname "$0")/.." && pwd)/tests/mpi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v mpicc.openmpi >/dev/null && command -v mpicc.mpich >/dev/null ||
    apt-get install -y --no-install-recommends openmpi-bin libopenmpi-dev mpich libmpich-dev >/dev/null
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

ways="send nonblocking persistent sendrecv vector structure bytes broadcast scatter scatterv gather gatherv allgather alltoall \
split sum allsum maximum largest prefix blocks own complex ibroadcast iscatter igatherv iallgather ialltoall iallsum matched packed \
put get replace locked"
fortran_ways="send nonblocking any persistent sendrecv broadcast split scatter gather gatherv allgather alltoall sum allsum"

# An error of rank 0 is found behind the output of rank 3: found WAY PROGRAM SOURCE.
found() {
    text=$(timeout 120 "$home/lostbits" explain --once --launch "$run" ./$2 -- $1 0.3 2>&1) && code=0 || code=$?
    line=$(grep -n PLANTED "$here/$3" | tail -n 1 | cut -d : -f 1)
    case "$code $text" in
    *"not tracked: errors made in"*) fail "$mpi $3 $1: exit $code: $text" ;;
    "1 "*"1.3"*"$3:$line:"*) ;;
    *) fail "$mpi $3 $1: exit $code: $text" ;;
    esac
}

# Runs with interventions prove the cause in another process than the output: proved WAY.
proved() {
    text=$(timeout 300 "$home/lostbits" explain --launch "$run" ./planted -- $1 0.3 2>&1) && code=0 || code=$?
    line=$(grep -n PLANTED "$here/planted.c" | tail -n 1 | cut -d : -f 1)
    case "$code $text" in
    "1 "*"planted.c:$line:"*"= proof: "*"has 2 of 2 right digits instead of 0 of 2"*) ;;
    *) fail "$mpi planted.c $1 is not proved: exit $code: $text" ;;
    esac
}

# What a buffer held that was changed while it was sent is unknown: that is never clean, and never waits for ever.
changed() {
    text=$(timeout 120 "$home/lostbits" explain --once --launch "$run" ./changed -- 0.3 2>&1) && code=0 || code=$?
    line=$(grep -n PLANTED "$here/changed.c" | tail -n 1 | cut -d : -f 1)
    case "$code $text" in
    "1 "*"changed.c:$line:"*) ;;
    *) fail "$mpi changed.c: exit $code: $text" ;;
    esac
}

# The launcher starts lostbits once for each rank: one report, the job's own output and exit code, and the command that proves causes.
in_place() {
    timeout 60 $run ./planted-native send 0.3 >expected
    text=$(timeout 120 $run "$home/lostbits" explain ./planted -- send 0.3 2>&1 >output) && code=0 || code=$?
    cmp -s expected output || fail "$mpi in place: prints something else"
    line=$(grep -n PLANTED "$here/planted.c" | tail -n 1 | cut -d : -f 1)
    test "$(echo "$text" | grep -c 'output is wrong')" = 1 || fail "$mpi in place: not one report: $text"
    case "$code $text" in
    "0 "*"1.3"*"planted.c:$line:"*"causes are suspected, not proved: "*" explain --launch '$run' ./planted -- send 0.3"*) ;;
    *) fail "$mpi in place: exit $code: $text" ;;
    esac
    text=$(timeout 120 $run "$home/lostbits" explain --error-exitcode 9 --report report ./planted -- send 0.3 2>&1 >output) && code=0 || code=$?
    cmp -s expected output && test $code = 9 && grep -q 'output is wrong' report || fail "$mpi in place: exit $code instead of 9: $text"
    text=$(timeout 120 $run "$home/lostbits" watch ./watched -- send 0.3 2>&1 >output) && code=0 || code=$?
    cmp -s expected output && test "$code $(echo "$text" | grep -c 'amplifies errors')" = "0 1" || fail "$mpi watch in place: exit $code: $text"
    # A rank that fails ends the job, whichever it is; the launcher may kill rank 0 before it reports. MPICH makes a code of how all
    # ranks ended.
    for failing in 0 2; do
        text=$(timeout 60 $run "$home/lostbits" explain ./failing -- $failing 0.3 2>&1) && code=0 || code=$?
        case "$mpi $failing $code $text" in
        "openmpi 0 7 "*"the output is wrong"* | "openmpi 2 7 "*) ;;
        "mpich 0 "[1-9]*"the output is wrong"*) ;;
        "mpich 2 "[1-9]*) ;;
        *) fail "$mpi rank $failing fails in place: exit $code: $text" ;;
        esac
    done
    # Two commands one after the other in each rank do not mix.
    text=$(timeout 120 $run sh -c "'$home/lostbits' explain ./serial -- 0.3; '$home/lostbits' explain ./serial -- 1e17" 2>&1) && code=0 || code=$?
    test "$code $(echo "$text" | grep -c '^1 of 4 outputs is wrong\|^no output is wrong')" = "0 2" || fail "$mpi two commands in place: exit $code: $text"
    text=$(timeout 60 $run "$home/lostbits" explain "$here/planted.c" -- send 0.3 2>&1) && code=0 || code=$?
    case "$code $text" in
    "2 "*"the program is not built yet"*) ;;
    *) fail "$mpi sources in place: exit $code: $text" ;;
    esac
}

for mpi in openmpi mpich; do
    export OMPI_CC="$home/lostbits-cc" MPICH_CC="$home/lostbits-cc" OMPI_FC="$home/lostbits-fc" MPICH_FC="$home/lostbits-fc"
    run="mpirun.$mpi -np 4"
    cd "$work"
    LOSTBITS_MODE=off mpicc.$mpi -O1 "$here/random.c" -o random-native
    for mode in same explain watch; do
        LOSTBITS_MODE=$mode mpicc.$mpi -O1 -g "$here/random.c" -o random-$mode
    done
    LOSTBITS_MODE=explain mpicc.$mpi -O1 -g "$here/planted.c" -o planted

    LOSTBITS_MODE=off mpicc.$mpi -O1 "$here/planted.c" -o planted-native
    LOSTBITS_MODE=watch mpicc.$mpi -O1 -g "$here/planted.c" -o watched
    LOSTBITS_MODE=explain mpicc.$mpi -O1 -g "$here/failing.c" -o failing
    LOSTBITS_MODE=explain "$home/lostbits-cc" -O1 -g "$here/serial.c" -o serial
    in_place

    for way in $ways; do found $way planted planted.c; done
    for way in send allsum; do proved $way; done
    LOSTBITS_MODE=explain mpicc.$mpi -O1 -g "$here/changed.c" -o changed
    changed

    # By mpif.h, which flang refuses as Open MPI has it, and by the module, which Debian compiles with gfortran.
    LOSTBITS_MODE=explain mpif90.$mpi -O1 -g "$here/planted.f90" -o planted-fortran
    mkdir -p module
    sed "s/include 'mpif.h'//; s/implicit none/use mpi; implicit none/" "$here/planted.f90" >module/planted.f90
    LOSTBITS_MODE=explain mpif90.$mpi -O1 -g module/planted.f90 -o planted-module
    found send planted-module planted.f90
    sed "s/use mpi;/use mpi_f08;/" module/planted.f90 >new.f90
    text=$(LOSTBITS_MODE=explain mpif90.$mpi -c new.f90 2>&1) && code=0 || code=$?
    case "$code $text" in
    "2 "*"new.f90 uses MPI's module mpi_f08"*) ;;
    *) fail "$mpi mpi_f08: exit $code: $text" ;;
    esac
    for way in $fortran_ways; do found $way planted-fortran planted.f90; done

    # What is added to a window is not judged, and never called clean.
    LOSTBITS_MODE=explain mpicc.$mpi -O1 -g "$here/one_sided.c" -o one-sided
    text=$(timeout 120 "$home/lostbits" explain --once --launch "mpirun.$mpi -np 2" ./one-sided -- 0.3 2>&1) && code=0 || code=$?
    case "$code $text" in
    "3 "*"undecided: results that depend on messages of MPI_Accumulate were not judged"*) ;;
    *) fail "$mpi one-sided: exit $code: $text" ;;
    esac

    # Rounding errors of a reduction belong to its call, and depend on the number of ranks.
    LOSTBITS_MODE=explain mpicc.$mpi -O1 -g "$here/order.c" -o order
    text=$(timeout 300 "$home/lostbits" explain --launch "mpirun.$mpi -np 4" --also "mpirun.$mpi -np 3" ./order -- 9007199254740992 2>&1) && code=0 || code=$?
    line=$(grep -n PLANTED "$here/order.c" | cut -d : -f 1)
    case "$code $text" in
    "1 "*"MPI_Allreduce"*"order.c:$line:"*"= proof: with this statement computed exactly"*"depends on how the program is started"*", exact 6"*", exact 6"*) ;;
    *) fail "$mpi order.c: exit $code: $text" ;;
    esac

    # Random exchanges print what they print natively, and shadows equal values.
    seed=1
    while [ $seed -le "$seeds" ]; do
        timeout 60 $run ./random-native $seed >expected
        for mode in same explain watch; do
            timeout 120 "$home/lostbits" run -o record $run ./random-$mode $seed >output 2>report || fail "$mpi $mode $seed: $(cat report)"
            cmp -s expected output || fail "$mpi: random.c $seed prints something else in mode $mode"
            test $mode != same || grep -q "every shadow equals" report || fail "$mpi: random.c $seed: $(cat report)"
        done
        seed=$((seed + 1))
    done
    echo "$mpi: $(echo $ways | wc -w) ways in C, $(echo $fortran_ways | wc -w) in Fortran, $seeds random programs in 3 modes"
done
test $failures -eq 0
