/* Digits of a number and its rounding: many bits cancel, and nothing is lost. */
#include <stdio.h>
#include <stdlib.h>

static const double SHIFT = 0x1.8p52;

int main(int argc, char **argv) {
    double x = strtod(argv[1], NULL) * 3;
    double rounded = x + SHIFT - SHIFT;
    if (rounded < 4)
        puts("less than four");
    double rest = x;
    for (int i = 0; i < 3; i++) {
        double digits = (double)(int)(rest * 0x1p-20);
        int low = (int)(rest - digits * 0x1p20);
        printf("%d\n", low);
        rest = digits;
    }
    double back = (x + 0.5) - x; /* ORIGIN: 0.5 while x is small */
    if (back < 0.25) /* UNSTABLE */
        puts("swallowed");
    return 0;
}
