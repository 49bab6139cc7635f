// Square roots and reciprocals of many numbers by Newton's method, and their mean.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    long count = argc > 1 ? atol(argv[1]) : 120000000;
    double mean = 0;
    for (long i = 1; i <= count; i++) {
        double a = 1 + i * 1e-7, x = a;
        while (fabs(x * x - a) > 1e-9 * a) x = 0.5 * (x + a / x);
        mean += (x - mean) / i;
    }
    printf("%.10f\n", mean);
}
