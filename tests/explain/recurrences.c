/* Recurrences: errors that meet are correlated, so that a worst case doubles with every step and the error does not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* x'' = -x in steps of h. */
static double verlet(double h, int steps) {
    double x0 = 1, x1 = 1 - h * h / 2;
    for (int t = 0; t < steps; t++) {
        double x2 = 2 * x1 - x0 - h * h * x1; /* CAUSE verlet */
        x0 = x1;
        x1 = x2;
    }
    return x1;
}

/* A pendulum: the same with a function. */
static double pendulum(double h, int steps) {
    double x0 = 1, x1 = 1 - h * h / 2 * sin(1);
    for (int t = 0; t < steps; t++) {
        double x2 = 2 * x1 - x0 - h * h * sin(x1); /* CAUSE pendulum */
        x0 = x1;
        x1 = x2;
    }
    return x1;
}

/* A low-pass filter with two poles near 1, in the direct form that loses accuracy. */
static double biquad(double h, int steps) {
    double w = h * 3, r = 1 - h;
    double a1 = -2 * r * cos(w), a2 = r * r, b = 1 + a1 + a2;
    double y1 = 0, y2 = 0;
    for (int t = 0; t < steps; t++) {
        double x = t % 7 < 3 ? 1 : 0;
        double y = b * x - a1 * y1 - a2 * y2; /* CAUSE biquad */
        y2 = y1;
        y1 = y;
    }
    return y1;
}

int main(int count, char **words) {
    double h = atof(words[2]);
    int steps = atoi(words[3]);
    double x = !strcmp(words[1], "verlet") ? verlet(h, steps)
             : !strcmp(words[1], "pendulum") ? pendulum(h, steps)
                                             : biquad(h, steps);
    printf("%.17g\n", x); /* REACHED */
    return count < 4;
}
