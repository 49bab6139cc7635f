// lostbits: fresh=40
// Values that travel by memcpy, memmove, realloc, struct copies, overlapping moves and swaps, and are
// wiped by memset and calloc.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { double at[3]; float mass; int id; long double energy; } Body;

static double checksum(const double *v, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum = sum * 0.97 + v[i];
    return sum;
}

static void swap_bytes(void *a, void *b, size_t size) {
    char *x = a, *y = b;
    for (size_t i = 0; i < size; i++) {
        char t = x[i];
        x[i] = y[i];
        y[i] = t;
    }
}

int main(void) {
    volatile double seed = 0.9;
    double *grown = NULL;
    for (int n = 1; n <= 700; n++) {
        grown = realloc(grown, n * sizeof *grown);
        grown[n - 1] = sin(n * seed) + (n > 1 ? grown[n - 2] / 2 : 0);
        if (n % 100 == 0) printf("%d %a\n", n, checksum(grown, n));
    }
    double *copy = malloc(700 * sizeof *copy), *zeros = calloc(700, sizeof *zeros);
    memcpy(copy, grown, 700 * sizeof *copy);
    memmove(copy + 3, copy, 600 * sizeof *copy);
    memmove(copy, copy + 5, 500 * sizeof *copy);
    printf("%a %a\n", checksum(copy, 700), checksum(zeros, 700));
    memset(copy + 100, 0, 50 * sizeof *copy);
    memset(copy + 200, 0x40, 10 * sizeof *copy);
    printf("%a %a\n", checksum(copy, 700), copy[205]);
    memcpy((char *)zeros + 4, (char *)grown + 4, 64); /* from the middle of a double */
    for (int i = 0; i < 9; i++) printf("%a\n", zeros[i] * 0.5);
    grown = realloc(grown, 20 * sizeof *grown);
    printf("%a\n", checksum(grown, 20));

    Body bodies[6], saved[6];
    for (int i = 0; i < 6; i++) bodies[i] = (Body){{seed * i, i / 3.0, -i}, 1.5f * i, i, seed / (i + 1)};
    memcpy(saved, bodies, sizeof bodies);
    for (int i = 0; i < 5; i++) {
        Body t = bodies[i];
        bodies[i] = bodies[i + 1];
        bodies[i + 1] = t;
        bodies[i].at[1] += saved[5 - i].mass * (double)bodies[i + 1].energy;
    }
    swap_bytes(&bodies[0], &bodies[3], sizeof(Body));
    swap_bytes(&copy[1], &copy[2], sizeof(double));
    for (int i = 0; i < 6; i++) printf("%d %a %a %La\n", bodies[i].id, bodies[i].at[1] * 1.1, bodies[i].mass + 0.1f, bodies[i].energy * 3);
    printf("%a\n", copy[1] - copy[2]);
    free(grown);
    free(copy);
    free(zeros);
    return 0;
}
