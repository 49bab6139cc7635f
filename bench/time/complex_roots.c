// Square roots of complex numbers by the formula for each half plane, and the largest difference between their squares and the numbers.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { double re, im; } Complex;
static unsigned long state = 88172645463325252UL;

static double uniform(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / 9007199254740992.0;
}

static Complex root(Complex z) {
    double size = sqrt(z.re * z.re + z.im * z.im);
    Complex r;
    if (z.re >= 0) {
        r.re = sqrt((size + z.re) / 2);
        r.im = r.re > 0 ? z.im / (2 * r.re) : 0;
    } else {
        r.im = sqrt((size - z.re) / 2);
        if (z.im < 0) r.im = -r.im;
        r.re = z.im / (2 * r.im);
    }
    return r;
}

int main(int argc, char **argv) {
    long count = argc > 1 ? atol(argv[1]) : 3000000;
    double sum = 0, worst = 0;
    for (long i = 0; i < count; i++) {
        Complex z = {4 * uniform() - 2, 4 * uniform() - 2};
        Complex r = root(z);
        double re = r.re * r.re - r.im * r.im, im = 2 * r.re * r.im;
        worst = fmax(worst, fmax(fabs(re - z.re), fabs(im - z.im)));
        sum += r.re + r.im;
    }
    printf("%.10g %.1e\n", sum, worst);
}
