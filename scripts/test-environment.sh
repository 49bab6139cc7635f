#!/bin/sh
# Surroundings of clusters: stacks, layouts of the address space, large pages, bound processors, containers, threads, virtual memory.
# `make test-environment`. Each prints what was run; one that this kernel or container forbids is named.
#   scripts/test-environment.sh FOLDER-WITH-LOSTBITS
set -eu
home=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0

cat >loss.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static double lose(double x) {
    return (1 + (x + 1e16)) - 1e16; /* PLANTED */
}

static double recursive(double x, int depth) {
    double room[64];
    for (int i = 0; i < 64; i++) room[i] = x + i;
    if (depth == 0) return lose(room[0]);
    double rest = recursive(room[0], depth - 1);
    return rest + (room[depth % 64] - room[depth % 64]);
}

static double *shared;
static void *thread(void *number) {
    long i = (long)number;
    shared[i] = lose(shared[i]);
    return NULL;
}

static double *map(void *hint, size_t bytes, int flags) {
    void *at = mmap(hint, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    if (at == MAP_FAILED) {
        perror("mmap");
        exit(77);
    }
    return at;
}

int main(int count, char **arguments) {
    double x = atof(arguments[2]), *numbers = &x;
    const char *way = arguments[1];
    if (!strcmp(way, "recursion")) x = recursive(x, 10000);
    else if (!strcmp(way, "go-heap")) numbers = map((void *)0xc000000000, 1 << 20, 0);
    else if (!strcmp(way, "map-32bit")) numbers = map(NULL, 1 << 20, MAP_32BIT);
    else if (!strcmp(way, "virtual-memory")) numbers = map(NULL, 200ul << 30, MAP_NORESERVE) + (150ul << 27);
    else if (!strcmp(way, "huge-pages")) {
        numbers = map(NULL, 64 << 20, 0);
        madvise(numbers, 64 << 20, MADV_HUGEPAGE);
    } else if (!strcmp(way, "threads")) {
        pthread_t all[128];
        shared = calloc(128, sizeof *shared);
        for (long i = 0; i < 128; i++) {
            shared[i] = x;
            if (pthread_create(&all[i], NULL, thread, (void *)i)) return 77;
        }
        for (int i = 0; i < 128; i++) pthread_join(all[i], NULL);
        double sum = 0;
        for (int i = 0; i < 128; i++) sum += shared[i];
        printf("%.17g\n", sum + 1);
        return 0;
    }
    if (numbers != &x) {
        numbers[0] = x;
        numbers[1] = lose(numbers[0]);
        x = numbers[1];
    } else if (strcmp(way, "recursion")) x = lose(x);
    printf("%.17g\n", x + 1);
    return 0;
}
END
LOSTBITS_MODE=off "$home/lostbits-cc" -O1 loss.c -o native -lpthread
LOSTBITS_MODE=explain "$home/lostbits-cc" -O1 -g loss.c -o loss -lpthread
line=$(grep -n PLANTED loss.c | cut -d : -f 1)

# found NAME WAY COMMAND…: the program prints what it prints natively, and the loss is found, when COMMAND starts it all.
found() {
    name=$1 way=$2
    shift 2
    "$@" true 2>/dev/null || { echo "$name: not possible here ($*)"; return; }
    ./native $way 0.3 >expected && code=0 || code=$?
    [ $code = 77 ] && { echo "$name: not possible here"; return; }
    "$@" "$home/lostbits" explain --once ./loss -- $way 0.3 >output 2>report && code=0 || code=$?
    if [ $code = 1 ] && cmp -s expected output && grep -q "loss.c:$line" report; then
        echo "$name: found"
    else
        echo "FAILED: $name: exit $code: $(cat report)"
        failures=$((failures + 1))
    fi
}

limited() { (ulimit "$1" "$2" && shift 2 && "$@"); }
found "no special surroundings" plain env
found "ulimit -s unlimited" plain limited -s unlimited
found "ulimit -s 8192, a recursion of 5 MiB" recursion limited -s 8192
found "mmap hint of Go's heap" go-heap env
found "MAP_32BIT" map-32bit env
found "huge pages" huge-pages env
found "taskset" plain taskset -c 0
found "numbers in 200 GiB of virtual memory" virtual-memory env
found "128 threads" threads env
found "no address randomisation" plain setarch -R
found "namespaces of their own (a container)" plain unshare --user --map-root-user --mount --pid --fork --ipc --net
found "without capabilities (no ptrace, no perf)" plain setpriv --bounding-set=-all --inh-caps=-all --no-new-privs
found "TMPDIR in memory" plain env TMPDIR=/dev/shm
test $failures -eq 0
