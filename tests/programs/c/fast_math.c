// lostbits: flags=-ffast-math
// lostbits: fresh=0
// Reductions that -ffast-math allows to be reordered and vectorised. All values are small whole
// numbers, so every order gives the same sum: any difference is the tool's.
#include <stdio.h>

enum { N = 301 };

static double a[N], b[N];
static float f[N];

__attribute__((noinline)) static double dot(const double *u, const double *v, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += u[i] * v[i];
    return sum;
}

__attribute__((noinline)) static float total(const float *u, int n) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += u[i];
    return sum;
}

__attribute__((noinline)) static double largest(const double *u, int n) {
    double best = u[0];
    for (int i = 1; i < n; i++) best = u[i] > best ? u[i] : best;
    return best;
}

__attribute__((noinline)) static float smallest(const float *u, int n) {
    float best = u[0];
    for (int i = 1; i < n; i++) best = u[i] < best ? u[i] : best;
    return best;
}

__attribute__((noinline)) static double product(const double *u, int n) {
    double p = 1;
    for (int i = 0; i < n; i++) p *= u[i] > 0 ? 2.0 : 0.5;
    return p;
}

__attribute__((noinline)) static double conditional(const double *u, const float *w, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        if (u[i] > 3) sum += u[i] - w[i];
    return sum;
}

int main(void) {
    volatile int seed = 5;
    for (int i = 0; i < N; i++) {
        a[i] = (i * seed) % 17 - 8;
        b[i] = (i * seed) % 23 - 3;
        f[i] = (float)((i * seed) % 29) - 9;
    }
    for (int n = N; n > 0; n -= 37) {
        printf("%d %a %a %a %a\n", n, dot(a, b, n), total(f, n), largest(b, n), smallest(f, n));
        printf("%a %a\n", product(a, n), conditional(b, f, n));
    }
    return 0;
}
