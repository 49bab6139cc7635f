/* Rounding to the nearest whole number jumps at halves. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    double share = strtod(argv[1], NULL) / 3;
    double seats = round(share); /* UNSTABLE */
    printf("%g\n", seats);
    return 0;
}
