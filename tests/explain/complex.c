/* Functions of complex numbers, whose results round and cancel like others. */
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CMPLX(a, b) __builtin_complex((double)(a), (double)(b))
#define CMPLXF(a, b) __builtin_complex((float)(a), (float)(b))

static double lost(const char *way, double x, double y) {
    double complex z = CMPLX(1 + x * 0x1p-10, y), p = CMPLX(0.7, 0.21 + x), q = CMPLX(0.3, -1);
    if (!strcmp(way, "quotient")) return creal(p / q); // CAUSE quotient
    if (!strcmp(way, "exponential")) return creal(cexp(CMPLX(x, y))) - 1; // CAUSE exponential
    if (!strcmp(way, "logarithm")) return cimag(clog(CMPLX(3, y))) - y / 3; // CAUSE logarithm
    if (!strcmp(way, "root")) return creal(csqrt(z)) - 1; // CAUSE root
    if (!strcmp(way, "power")) return creal(cpow(z, CMPLX(0.3, 0))) - 1; // CAUSE power
    if (!strcmp(way, "cosine")) return creal(ccos(CMPLX(x * 1e4, y))) - 1; // CAUSE cosine
    if (!strcmp(way, "hyperbolic")) return creal(ccosh(CMPLX(x * 1e4, y))) - 1; // CAUSE hyperbolic
    return 0;
}

static float lost_float(const char *way, float x, float y) {
    float complex p = CMPLXF(0.7f, 0.21f + x), q = CMPLXF(0.3f, -1);
    if (!strcmp(way, "quotients")) return crealf(p / q); // CAUSE floats of quotients
    if (!strcmp(way, "exponentials")) return crealf(cexpf(CMPLXF(x, y))) - 1; // CAUSE floats of exponentials
    if (!strcmp(way, "moduli")) return cabsf(CMPLXF(1, x * 10)) - 1; // CAUSE floats of moduli
    return 0;
}

/* Right to all digits: nothing is lost in the library. */
static double right(const char *way, double x) {
    double complex z = CMPLX(x, 0.25), w = CMPLX(-x, 1e-9);
    if (!strcmp(way, "divided")) return creal(z / w) + cimag(z / CMPLX(1e200, 1e-200)) + creal(w / CMPLX(1e-300, 3e-300)) * 1e-300;
    if (!strcmp(way, "rooted")) return creal(csqrt(w)) + cimag(csqrt(w)) + creal(csqrt(CMPLX(0, 0)));
    if (!strcmp(way, "raised")) return creal(cpow(z, w)) + creal(cpow(CMPLX(0, 0), CMPLX(2, 0)));
    if (!strcmp(way, "logged")) return creal(clog(CMPLX(0.9999999, 1e-5)));
    return 0;
}

int main(int argc, char **argv) {
    double x = atof(argv[2]), y = atof(argv[3]);
    if (!strcmp(argv[1], "floats"))
        printf("%.9g\n", lost_float(argv[4], (float)x, (float)y)); // REACHED floats
    else if (!strcmp(argv[1], "right"))
        printf("%.12g\n", right(argv[4], x));
    else
        printf("%.17g\n", lost(argv[1], x, y)); // REACHED lost
}
