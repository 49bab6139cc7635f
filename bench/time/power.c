// The largest eigenvalue of a sparse symmetric matrix by power iteration.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 50000, ROW = 7 };
static int column[N][ROW];
static double value[N][ROW], x[N], y[N];

int main(int argc, char **argv) {
    long steps = argc > 1 ? atol(argv[1]) : 1500;
    for (int i = 0; i < N; i++) {
        x[i] = 1 + i % 3;
        for (int k = 0; k < ROW; k++) {
            column[i][k] = (int)((i + (long)k * k * 97 + 1) % N);
            value[i][k] = 1.0 / (1 + (i + k) % 11);
        }
    }
    double norm = 0;
    for (long step = 0; step < steps; step++) {
        norm = 0;
        for (int i = 0; i < N; i++) {
            double sum = 2 * x[i];
            for (int k = 0; k < ROW; k++) sum += value[i][k] * x[column[i][k]];
            y[i] = sum;
            norm += sum * sum;
        }
        norm = sqrt(norm);
        for (int i = 0; i < N; i++) x[i] = y[i] / norm;
    }
    printf("%.9f\n", norm);
}
