/* Orthonormalises the rows given; a dependent one is divided by its length, which is zero. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 3

static double dot(const double *a, const double *b) {
    double sum = 0;
    for (int k = 0; k < N; k++)
        sum += a[k] * b[k];
    return sum;
}

static void normalise(double *v) {
    double length = sqrt(dot(v, v));
    for (int k = 0; k < N; k++)
        v[k] = v[k] / length; /* CAUSE */
}

static void gram_schmidt(double rows[N][N]) {
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            double share = dot(rows[i], rows[j]);
            for (int k = 0; k < N; k++)
                rows[i][k] -= share * rows[j][k];
        }
        normalise(rows[i]);
    }
}

int main(int argc, char **argv) {
    double rows[N][N];
    for (int i = 0; i < N * N; i++)
        rows[i / N][i % N] = atof(argv[i + 1]);
    gram_schmidt(rows);
    for (int i = 0; i < N * N; i++)
        printf("%g\n", rows[i / N][i % N]); /* REACHED */
}
