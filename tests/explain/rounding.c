/* Rounding by adding and subtracting a large constant, and what looks alike and is none. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 1.5 2^52: what lies behind the point of a double does not fit in. */
static double nearest(double x) {
    const double magic = 6755399441055744.0;
    return (x + magic) - magic;
}

/* The same for numbers that are not negative. */
static double nearest_positive(double x) {
    return (x + 4503599627370496.0) - 4503599627370496.0;
}

static float nearest_float(float x) {
    return (x + 12582912.0f) - 12582912.0f;
}

/* To a multiple of 1/128, as a table for exp wants it. */
static double nearest_part(double x) {
    double shifted = x + 0x1.8p45;
    return shifted - 0x1.8p45;
}

/* The whole number is in the lower bits. */
static int32_t nearest_bits(double x) {
    double shifted = x + 0x1.8p52;
    int64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    return (int32_t)bits;
}

/* Meant to be x. */
static double naive(double x) {
    return (x + 1e16) - 1e16; /* CAUSE */
}

/* exp(x): the argument is reduced by rounding. */
static double reduced(double x) {
    double n = nearest(x * 1.4426950408889634);
    double r = (x - n * 0.6931471803691238) - n * 1.9082149292705877e-10, sum = 1;
    for (int i = 14; i > 0; i--)
        sum = 1 + sum * r / i;
    for (; n > 0; n--)
        sum *= 2;
    return sum;
}

int main(int argc, char **argv) {
    const char *how = argv[1];
    for (int i = 2; i < argc; i++) {
        double x = atof(argv[i]) / 3;
        if (!strcmp(how, "float")) {
            printf("%.9g\n", nearest_float((float)x));
            continue;
        }
        double y = !strcmp(how, "nearest")    ? nearest(x)
                   : !strcmp(how, "positive") ? nearest_positive(x)
                   : !strcmp(how, "part")     ? nearest_part(x)
                   : !strcmp(how, "bits")     ? nearest_bits(x)
                   : !strcmp(how, "reduced")  ? reduced(x)
                                              : naive(x);
        printf("%.17g\n", y); /* REACHED */
    }
}
