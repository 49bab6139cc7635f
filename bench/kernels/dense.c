/* Dense linear algebra: LU with partial pivoting and a matrix product. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 256 };
static double a[N][N], lu[N][N], product[N][N];
static int pivot[N];

static void fill(int seed) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) a[i][j] = 1.0 / (1 + abs(i - j) + seed) + (i == j ? 2.0 : 0.0);
}

static void multiply(void) {
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            double factor = a[i][k];
            for (int j = 0; j < N; j++) product[i][j] += factor * a[k][j];
        }
}

static void factor(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) lu[i][j] = product[i][j] / N;
    for (int k = 0; k < N; k++) {
        int best = k;
        for (int i = k + 1; i < N; i++)
            if (fabs(lu[i][k]) > fabs(lu[best][k])) best = i;
        pivot[k] = best;
        for (int j = 0; j < N; j++) {
            double swapped = lu[k][j];
            lu[k][j] = lu[best][j];
            lu[best][j] = swapped;
        }
        for (int i = k + 1; i < N; i++) {
            double scale = lu[i][k] /= lu[k][k];
            for (int j = k + 1; j < N; j++) lu[i][j] -= scale * lu[k][j];
        }
    }
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 60;
    double logarithm = 0;
    for (int round = 0; round < rounds; round++) {
        fill(round);
        multiply();
        factor();
        for (int k = 0; k < N; k++) logarithm += log(fabs(lu[k][k]));
    }
    printf("dense %.17g %d\n", logarithm, pivot[N / 2]);
    return 0;
}
