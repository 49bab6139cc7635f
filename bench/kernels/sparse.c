/* Sparse linear algebra: conjugate gradients on a five-point Laplacian in compressed rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 128, N = SIDE * SIDE };
static int start[N + 1], column[5 * N];
static double value[5 * N], x[N], r[N], p[N], q[N];

static void assemble(void) {
    int filled = 0;
    for (int row = 0; row < N; row++) {
        int i = row / SIDE, j = row % SIDE;
        start[row] = filled;
        if (i > 0) column[filled] = row - SIDE, value[filled++] = -1;
        if (j > 0) column[filled] = row - 1, value[filled++] = -1;
        column[filled] = row, value[filled++] = 4 + 1e-3 * (row % 7);
        if (j < SIDE - 1) column[filled] = row + 1, value[filled++] = -1;
        if (i < SIDE - 1) column[filled] = row + SIDE, value[filled++] = -1;
    }
    start[N] = filled;
}

static void apply(const double *in, double *out) {
    for (int row = 0; row < N; row++) {
        double sum = 0;
        for (int k = start[row]; k < start[row + 1]; k++) sum += value[k] * in[column[k]];
        out[row] = sum;
    }
}

static double dot(const double *u, const double *v) {
    double sum = 0;
    for (int i = 0; i < N; i++) sum += u[i] * v[i];
    return sum;
}

static int solve(void) {
    for (int i = 0; i < N; i++) x[i] = 0, p[i] = r[i] = sin(0.01 * i);
    double rr = dot(r, r), goal = rr * 1e-16;
    int steps = 0;
    while (rr > goal && steps++ < 400) {
        apply(p, q);
        double alpha = rr / dot(p, q);
        for (int i = 0; i < N; i++) x[i] += alpha * p[i], r[i] -= alpha * q[i];
        double next = dot(r, r), beta = next / rr;
        for (int i = 0; i < N; i++) p[i] = r[i] + beta * p[i];
        rr = next;
    }
    return steps;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 12, steps = 0;
    assemble();
    for (int round = 0; round < rounds; round++) steps += solve();
    printf("sparse %.17g %d\n", dot(x, x), steps);
    return 0;
}
