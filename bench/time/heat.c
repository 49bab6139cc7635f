// The heat equation by implicit steps: a tridiagonal system for each, by Thomas's algorithm.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

int main(int argc, char **argv) {
    long steps = argc > 1 ? atol(argv[1]) : 60000;
    static double u[N], c[N], d[N];
    for (int i = 0; i < N; i++) u[i] = i < N / 2 ? 1.0 : 0.25;
    const double r = 0.4;
    for (long step = 0; step < steps; step++) {
        c[0] = -r / (1 + 2 * r);
        d[0] = u[0] / (1 + 2 * r);
        for (int i = 1; i < N; i++) {
            double m = 1 / (1 + 2 * r + r * c[i - 1]);
            c[i] = -r * m;
            d[i] = (u[i] + r * d[i - 1]) * m;
        }
        u[N - 1] = d[N - 1];
        for (int i = N - 2; i >= 0; i--) u[i] = d[i] - c[i] * u[i + 1];
        u[0] = 1;
        u[N - 1] = 0.25;
    }
    for (int i = 0; i < N; i += 100) printf("%.6f\n", u[i]);
}
