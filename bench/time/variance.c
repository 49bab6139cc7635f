// Variances of measurements far from zero, by the mean of squares: the textbook's loss of digits.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    long count = argc > 1 ? atol(argv[1]) : 300000000;
    double sum = 0, squares = 0;
    unsigned state = 7;
    for (long i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        double x = 1e7 + state / 4294967296.0;
        sum += x;
        squares += x * x;
    }
    double mean = sum / count;
    printf("%.10g\n", squares / count - mean * mean);
}
