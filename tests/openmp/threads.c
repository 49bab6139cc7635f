/* OpenMP on the host: a loss is found behind a reduction, tasks, or SIMD; and a sum that cancels depends on the number of threads. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 1024
static double x[N], y[N];

static double lose(double v) {
    return (1 + (v + 1e16)) - 1e16; /* PLANTED */
}

static double by_tasks(int from, int to) {
    double left = 0, right = 0;
    if (to - from <= 64) {
        for (int i = from; i < to; i++) left += lose(x[i]);
        return left;
    }
#pragma omp task shared(left)
    left = by_tasks(from, (from + to) / 2);
#pragma omp task shared(right)
    right = by_tasks((from + to) / 2, to);
#pragma omp taskwait
    return left + right;
}

int main(int count, char **arguments) {
    const char *way = arguments[1];
    double v = atof(arguments[2]), sum = 0;
    for (int i = 0; i < N; i++) x[i] = v;
    if (!strcmp(way, "reduction")) {
#pragma omp parallel for reduction(+ : sum) schedule(static)
        for (int i = 0; i < N; i++) sum += lose(x[i]);
    } else if (!strcmp(way, "tasks")) {
#pragma omp parallel
#pragma omp single
        sum = by_tasks(0, N);
    } else if (!strcmp(way, "simd")) {
#pragma omp simd
        for (int i = 0; i < N; i++) y[i] = (1 + (x[i] + 1e16)) - 1e16; /* PLANTED SIMD */
        for (int i = 0; i < N; i++) sum += y[i];
    } else if (!strcmp(way, "order")) {
        /* Exactly 1022; how much of that is left depends on which terms a thread adds to the large ones. */
        for (int i = 0; i < N; i++) x[i] = i == 0 ? v : i == N - 1 ? -v : 1;
#pragma omp parallel for reduction(+ : sum) schedule(static)
        for (int i = 0; i < N; i++) sum += x[i]; /* PLANTED ORDER */
    }
    printf("%.17g\n", sum);
    return 0;
}
