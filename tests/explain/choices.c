/* Minima and maxima take the error of the operand that they choose, and no other. A conversion to an integer may be wrong on
   both sides: the exact value may be below the integer that it gives, or reach the next one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    double x = atof(argv[2]);
    if (!strncmp(argv[1], "convert", 7)) {
        volatile double large = 1e15;
        double rounded = (large + x) - large;                    // CAUSE conversion
        double moved = argc > 3 ? rounded + 0.02 : rounded - 0.02;
        int whole = (int)moved; // REACHED conversion
        printf("%d\n", whole);
        return 0;
    }
    double wrong = (1 + x) - 1; // CAUSE choice
    double far = argc * 1.0;
    if (!strcmp(argv[1], "min"))
        printf("%g\n", fmin(wrong, far)); // REACHED min
    else if (!strcmp(argv[1], "max"))
        printf("%g\n", fmax(-far, wrong)); // REACHED max
    else if (!strcmp(argv[1], "other-min"))
        printf("%g\n", fmin(wrong, -far));
    else
        printf("%g\n", fmax(far, wrong));
}
