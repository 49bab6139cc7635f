// A Kalman filter for position and speed, on measurements with noise.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    long steps = argc > 1 ? atol(argv[1]) : 60000000;
    double x = 0, v = 1, p00 = 1, p01 = 0, p11 = 1, error = 0;
    unsigned state = 1;
    const double dt = 0.1, q = 1e-4, r = 0.25;
    for (long step = 1; step <= steps; step++) {
        state = state * 1664525u + 1013904223u;
        double truth = (step % 1000) * dt, measured = truth + (state / 4294967296.0 - 0.5);
        if (step % 1000 == 0) x = 0;
        x += dt * v;
        p00 += dt * (2 * p01 + dt * p11) + q;
        p01 += dt * p11;
        p11 += q;
        double s = p00 + r, k0 = p00 / s, k1 = p01 / s, innovation = measured - x;
        x += k0 * innovation;
        v += k1 * innovation;
        p11 -= k1 * p01;
        p01 *= 1 - k0;
        p00 *= 1 - k0;
        error += (x - truth) * (x - truth) / steps;
    }
    printf("%.6f %.6f\n", error, p00);
}
