// Conjugate gradients for Poisson's equation on a square, until the residual is small.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 100, N = SIDE * SIDE };
static double x[N], r[N], p[N], q[N];

static double dot(const double *u, const double *v) {
    double sum = 0;
    for (int i = 0; i < N; i++) sum += u[i] * v[i];
    return sum;
}

static void apply(void) {
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            int at = i * SIDE + j;
            double t = 4 * p[at];
            if (i > 0) t -= p[at - SIDE];
            if (i < SIDE - 1) t -= p[at + SIDE];
            if (j > 0) t -= p[at - 1];
            if (j < SIDE - 1) t -= p[at + 1];
            q[at] = t;
        }
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 200, steps = 0;
    double sum = 0, last = 0;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < N; i++) {
            x[i] = 0;
            r[i] = p[i] = 1.0 / (1 + (i + round) % 7);
        }
        double rr = dot(r, r);
        while (sqrt(rr) > 1e-8) {
            apply();
            double alpha = rr / dot(p, q);
            for (int i = 0; i < N; i++) {
                x[i] += alpha * p[i];
                r[i] -= alpha * q[i];
            }
            double next = dot(r, r), beta = next / rr;
            rr = next;
            for (int i = 0; i < N; i++) p[i] = r[i] + beta * p[i];
            steps++;
        }
        for (int i = 0; i < N; i++) sum += x[i];
        last = sqrt(rr);
    }
    printf("%d %.8g %.3e\n", steps, sum, last);
}
