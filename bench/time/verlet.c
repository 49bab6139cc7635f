// Verlet's method for the harmonic oscillator, in its two-step form.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    long steps = argc > 1 ? atol(argv[1]) : 750000000;
    double h = 1e-3, before = 1, now = 1 - h * h / 2;
    for (long step = 0; step < steps; step++) {
        double next = 2 * now - before - h * h * now;
        before = now;
        now = next;
    }
    printf("%.4f\n", now);
}
