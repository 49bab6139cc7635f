// Tags in memory outlast long stretches of code without any: a value that is made of what cancelled is kept in static, allocated,
// copied, packed or stack memory, millions of harmless sums follow, and only then the value decides.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct __attribute__((packed)) odd { char c; double x; };
struct pair { double c, d; };

static double fixed;
static volatile double input[3] = {0.1, 0.2, 0.3};

__attribute__((noinline)) static double harmless(const double *v, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += v[i & 63] * 0.25;
    return sum;
}

// Not inlined: the value must come from memory.
__attribute__((noinline)) static int decides(const double *at) { return *at > 4e-17; /* UNSTABLE */ }
__attribute__((noinline)) static int decides_float(const float *at) { return *at > 0; }
__attribute__((noinline)) static int decides_packed(const struct odd *at) { return at->x > 4e-17; }

__attribute__((noinline)) static int keeps(const char *place) {
    double residue = input[0] + input[1] - input[2];
    struct odd packed;
    struct pair pair, *copy = malloc(sizeof *copy);
    double *heap = malloc(64 * sizeof *heap), steps[64];
    for (int i = 0; i < 64; i++) steps[i] = 1.0 / (i + 3);
    fixed = heap[7] = packed.x = residue;
    pair.d = residue;
    pair.c = 1;
    volatile float tenth = 0.1f, third = 0.3f;
    float *small = malloc(64 * sizeof *small);
    small[5] = tenth * 3 - third;
    memcpy(copy, &pair, sizeof pair);
    double sum = 0;
    for (int i = 0; i < 300; i++) {
        steps[i & 63] += 0.001;
        sum += harmless(steps, 10000);
    }
    int is_above = 0;
    if (!strcmp(place, "static")) is_above = decides(&fixed);
    if (!strcmp(place, "heap")) is_above = decides(&heap[7]);
    if (!strcmp(place, "packed")) is_above = decides_packed(&packed);
    if (!strcmp(place, "copied")) is_above = decides(&copy->d);
    if (!strcmp(place, "float")) is_above = decides_float(&small[5]);
    if (!strcmp(place, "stack")) is_above = decides(&pair.d);
    printf("%g %d\n", sum, is_above);
    free(heap);
    free(small);
    free(copy);
    return is_above;
}

int main(int argc, char **argv) {
    keeps(argc > 1 ? argv[1] : "static");
    return 0;
}
