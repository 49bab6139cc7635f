// lostbits: fresh=0
// Stack memory of run-time size, used again and again by calls of different shapes: shadows of dead
// frames must not be taken for live ones.
#include <alloca.h>
#include <math.h>
#include <stdio.h>

static double determinant(int n, double m[n][n]) {
    if (n == 1) return m[0][0];
    double minor[n - 1][n - 1], sum = 0;
    for (int skip = 0; skip < n; skip++) {
        for (int i = 1; i < n; i++)
            for (int j = 0, k = 0; j < n; j++)
                if (j != skip) minor[i - 1][k++] = m[i][j];
        sum += (skip % 2 ? -1 : 1) * m[0][skip] * determinant(n - 1, minor);
    }
    return sum;
}

__attribute__((noinline)) static double with_floats(int n, float x) {
    float *v = alloca(n * sizeof *v);
    for (int i = 0; i < n; i++) v[i] = x / (float)(i + 1);
    double sum = 0;
    for (int i = 0; i < n; i++) sum += v[i] * v[n - 1 - i];
    return sum;
}

__attribute__((noinline)) static double with_doubles(int n, double x) {
    double v[n];
    for (int i = 0; i < n; i += 2) v[i] = x * i;
    for (int i = 1; i < n; i += 2) v[i] = -x / i;
    double *more = alloca(8 * n);
    for (int i = 0; i < n; i++) more[i] = v[n - 1 - i] + (i ? more[i - 1] : 0);
    return more[n - 1];
}

__attribute__((noinline)) static double with_extended(int n, long double x) {
    long double v[n];
    for (int i = 0; i < n; i++) v[i] = x + i / 7.0L;
    return (double)(v[n / 2] * v[0]);
}

int main(void) {
    volatile double seed = 0.45;
    double matrix[6][6];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) matrix[i][j] = 1 / (i + j + seed) + (i == j);
    printf("%.17g\n", determinant(6, matrix));
    for (int n = 1; n < 40; n += 3) {
        printf("%a %a %a\n", with_floats(n, (float)seed), with_doubles(n, seed), with_extended(n, seed));
        printf("%a %a\n", with_doubles(40 - n, seed * n), with_floats(n + 5, 0.1f * (float)n));
    }
    return 0;
}
