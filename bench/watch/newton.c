/* The shape of 178.galgel (Figure 12): Newton's method stops when the residual is small, or is given up after
 * a given number of steps. */
#include <lostbits.h>
#include <stdio.h>
#include <stdlib.h>

enum { BOUND = 6 };

int main(int argc, char **argv) {
    double a = strtod(argv[1], NULL);
    double y = 1, d;
    int i = 0;
    do {
        double h = a / (y * y);
        y = y - (y - h) / 3;
        double residual = y * y * y - a;
        d = residual * residual;
        i++;
        if (i >= BOUND) {
            puts("no solution");
            return 0;
        }
    } while (!LOSTBITS_CONVERGENCE(i, BOUND, d < 3e-29));
    puts("solved");
    return 0;
}
