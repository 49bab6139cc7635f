// Solves random linear systems by LU factorisation with partial pivoting; the residual is zero in exact arithmetic.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 256 };
static double a[N][N], b[N];
static unsigned long state = 12345;

static double uniform(void) {
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return (double)(state >> 11) / 9007199254740992.0 - 0.5;
}

static void solve(void) {
    for (int k = 0; k < N; k++) {
        int pivot = k;
        for (int i = k + 1; i < N; i++)
            if (fabs(a[i][k]) > fabs(a[pivot][k])) pivot = i;
        for (int j = 0; j < N; j++) {
            double t = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = t;
        }
        double t = b[k];
        b[k] = b[pivot];
        b[pivot] = t;
        for (int i = k + 1; i < N; i++) {
            double factor = a[i][k] / a[k][k];
            for (int j = k + 1; j < N; j++) a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (int i = N - 1; i >= 0; i--) {
        for (int j = i + 1; j < N; j++) b[i] -= a[i][j] * b[j];
        b[i] /= a[i][i];
    }
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    double sum = 0, worst = 0;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < N; i++) {
            b[i] = 0;
            for (int j = 0; j < N; j++) b[i] += a[i][j] = uniform();
        }
        solve();
        for (int i = 0; i < N; i++) {
            sum += b[i];
            worst = fmax(worst, fabs(b[i] - 1));
        }
    }
    printf("%.10g %.3g\n", sum, worst);
}
