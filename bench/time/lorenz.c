// Lorenz's system by Runge and Kutta's method: chaotic, so that the last numbers have no right digit.
#include <stdio.h>
#include <stdlib.h>

static void slope(const double v[3], double d[3]) {
    d[0] = 10 * (v[1] - v[0]);
    d[1] = v[0] * (28 - v[2]) - v[1];
    d[2] = v[0] * v[1] - 8.0 / 3 * v[2];
}

int main(int argc, char **argv) {
    long steps = argc > 1 ? atol(argv[1]) : 20000000;
    const double h = 0.005;
    double v[3] = {1, 1, 1};
    for (long step = 0; step < steps; step++) {
        double k[4][3], w[3];
        slope(v, k[0]);
        for (int i = 0; i < 3; i++) w[i] = v[i] + h / 2 * k[0][i];
        slope(w, k[1]);
        for (int i = 0; i < 3; i++) w[i] = v[i] + h / 2 * k[1][i];
        slope(w, k[2]);
        for (int i = 0; i < 3; i++) w[i] = v[i] + h * k[2][i];
        slope(w, k[3]);
        for (int i = 0; i < 3; i++) v[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
    printf("%.10f %.10f %.10f\n", v[0], v[1], v[2]);
}
