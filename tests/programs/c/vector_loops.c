// lostbits: flags=-fno-math-errno
// lostbits: fresh=0
// Loops that the optimiser vectorises: maps, conditional and masked updates, gathers, strides,
// interleaved pairs, conversions, integer-valued reductions, minima, scans that cannot be.
#include <math.h>
#include <stdio.h>

enum { N = 203 };

static double x[N], y[N], z[N];
static float f[N], g[N];
static int index_of[N];

__attribute__((noinline)) static void saxpy(float a, const float *restrict u, float *restrict v, int n) {
    for (int i = 0; i < n; i++) v[i] += a * u[i];
}

__attribute__((noinline)) static void conditional(const double *restrict u, double *restrict v, int n) {
    for (int i = 0; i < n; i++)
        if (u[i] > 0.25) v[i] = sqrt(u[i]) - v[i] * 0.5;
}

__attribute__((noinline)) static void gather(const double *restrict u, const int *restrict at, double *restrict out, int n) {
    for (int i = 0; i < n; i++) out[i] = u[at[i]] * 1.25 + out[i];
}

__attribute__((noinline)) static void strided(double *restrict out, const double *restrict u, int n) {
    for (int i = 0; i + 3 <= n; i += 3) {
        out[i] = u[i] * u[i + 1];
        out[i + 1] = u[i + 2] - u[i];
        out[i + 2] = fabs(u[i + 1]);
    }
}

__attribute__((noinline)) static void convert(const double *restrict u, float *restrict v, int *restrict k, int n) {
    for (int i = 0; i < n; i++) {
        k[i] = (int)(u[i] * 50);
        v[i] = (float)u[i] / (float)(k[i] | 1);
    }
}

__attribute__((noinline)) static double count_above(const double *u, double bound, int n) {
    double count = 0;
    for (int i = 0; i < n; i++) count += u[i] > bound ? 1.0 : 0.0;
    return count;
}

__attribute__((noinline)) static void clamp(double *u, int n) {
    for (int i = 0; i < n; i++) u[i] = u[i] < -1 ? -1 : u[i] > 1 ? 1 : u[i];
}

__attribute__((noinline)) static void reverse(double *restrict out, const double *restrict u, int n) {
    for (int i = 0; i < n; i++) out[i] = floor(u[n - 1 - i] * 8) * 0.125;
}

static void show(const char *name, const double *v) {
    printf("%s", name);
    for (int i = 0; i < N; i += 13) printf(" %a", v[i]);
    printf("\n");
}

int main(void) {
    volatile double seed = 0.77;
    for (int i = 0; i < N; i++) {
        x[i] = sin(i * seed);
        y[i] = cos(i * seed) * 3;
        f[i] = (float)i / 7;
        g[i] = (float)x[i];
        index_of[i] = (i * 71) % N;
    }
    saxpy(0.3f, f, g, N);
    conditional(x, y, N);
    show("conditional", y);
    gather(x, index_of, y, N);
    show("gather", y);
    strided(z, y, N);
    show("strided", z);
    convert(y, f, index_of, N);
    clamp(y, N);
    show("clamp", y);
    reverse(x, y, N);
    show("reverse", x);
    printf("%a\n", count_above(z, 0.1, N));
    for (int i = 0; i < N; i += 11) printf("%a %a %d\n", f[i], g[i], index_of[i]);
    double scan = 0;
    for (int i = 0; i < N; i++) z[i] = scan = scan * 0.5 + x[i];
    show("scan", z);
    return 0;
}
