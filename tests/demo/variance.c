/* The variance of numbers that are close together, by two formulas.
 *
 * The textbook formula subtracts two large, nearly equal numbers, and the significant digits cancel.
 * Welford's formula uses only small numbers. The exact variance is 30 for every shift.
 */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 4 };

static double textbook(const double *x) {
    double sum = 0, squares = 0;
    for (int i = 0; i < COUNT; i++) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    return (squares - sum * sum / COUNT) / (COUNT - 1); /* cancellation */
}

static double welford(const double *x) {
    double mean = 0, squares = 0;
    for (int i = 0; i < COUNT; i++) {
        double delta = x[i] - mean;
        mean += delta / (i + 1);
        squares += delta * (x[i] - mean);
    }
    return squares / (COUNT - 1);
}

int main(int argc, char **argv) {
    double shift = argc > 1 ? atof(argv[1]) : 1e9;
    double x[COUNT] = {shift + 4, shift + 7, shift + 13, shift + 16};
    printf("shift %g: textbook %g, Welford %g, exact 30\n", shift, textbook(x), welford(x));
    return 0;
}
