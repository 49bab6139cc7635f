// Factors positive definite matrices and solves with them; prints the trace of the factor and the sum of the solution.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 200 };
static double a[N][N], x[N];

int main(int argc, char **argv) {
    long count = argc > 1 ? atol(argv[1]) : 300;
    double trace = 0, total = 0;
    for (long round = 1; round <= count; round++) {
        for (int i = 0; i < N; i++) {
            for (int j = 0; j <= i; j++) a[i][j] = 1.0 / (1 + abs(i - j) + round % 7);
            a[i][i] += N;
            x[i] = 1 + i % 5;
        }
        for (int j = 0; j < N; j++) {
            for (int k = 0; k < j; k++)
                for (int i = j; i < N; i++) a[i][j] -= a[i][k] * a[j][k];
            a[j][j] = sqrt(a[j][j]);
            for (int i = j + 1; i < N; i++) a[i][j] /= a[j][j];
        }
        for (int i = 0; i < N; i++) {
            for (int k = 0; k < i; k++) x[i] -= a[i][k] * x[k];
            x[i] /= a[i][i];
            trace += a[i][i];
            total += x[i];
        }
    }
    printf("%.8g %.8g\n", trace, total);
}
