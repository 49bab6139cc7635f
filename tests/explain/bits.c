/* Operations on the bits of floating-point numbers. What comes in is a difference with an error, small or large. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double negated(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits ^= 0x8000000000000000;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double magnitude(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= 0x7fffffffffffffff;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* x 2^n: the exponent is an integer like others. */
static double scaled(double x, int n) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits += (uint64_t)n << 52;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double scaled_by_factor(double x, int n) {
    uint64_t bits = (uint64_t)(1023 + n) << 52;
    double factor;
    memcpy(&factor, &bits, sizeof factor);
    return x * factor;
}

/* Between 1/2 and 1. */
static double fraction(double x, int *exponent) {
    union {
        double number;
        uint64_t bits;
    } both = {x};
    *exponent = (int)((both.bits >> 52) & 0x7ff) - 1022;
    both.bits = (both.bits & 0x800fffffffffffff) | 0x3fe0000000000000;
    return both.number;
}

static float scaled_float(float x, int n) {
    union {
        float number;
        uint32_t bits;
    } both = {x};
    both.bits += (uint32_t)n << 23;
    return both.number;
}

/* 1 / sqrt(x): a guess from the bits, made better by Newton's method. */
static float inverse_root(float x) {
    uint32_t bits;
    float y;
    memcpy(&bits, &x, sizeof bits);
    bits = 0x5f3759df - (bits >> 1);
    memcpy(&y, &bits, sizeof y);
    for (int i = 0; i < 4; i++)
        y = y * (1.5f - 0.5f * x * y * y);
    return y;
}

/* x^2 - 1/64 with the lower word cut off first. */
static double squares(double x) {
    uint64_t bits;
    double high;
    memcpy(&bits, &x, sizeof bits);
    bits &= 0xffffffff00000000;
    memcpy(&high, &bits, sizeof high);
    return (high * high - 0.015625) + (x + high) * (x - high);
}

int main(int argc, char **argv) {
    const char *how = argv[1];
    double a = atof(argv[2]), b = atof(argv[3]);
    double x = sqrt(a) - sqrt(b); /* CAUSE */
    int exponent = 0;
    if (!strncmp(how, "float", 5)) {
        float y = !strcmp(how, "float-root") ? inverse_root((float)x) : scaled_float((float)x, 3);
        printf("%.9g\n", y);
        return 0;
    }
    double y = !strcmp(how, "negated")     ? negated(x)
               : !strcmp(how, "magnitude") ? magnitude(x)
               : !strcmp(how, "scaled")    ? scaled(x, 3)
               : !strcmp(how, "factor")    ? scaled_by_factor(x, 3)
               : !strcmp(how, "fraction")  ? fraction(x, &exponent)
                                           : squares(x);
    printf("%.17g %d\n", y, exponent); /* REACHED */
}
