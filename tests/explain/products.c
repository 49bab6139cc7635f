/* a b - c d, in a naive way and with the products' rests (Dekker's, and that of a fused operation). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double naive(double a, double b, double c, double d) {
    return a * b - c * d; /* CAUSE */
}

static double rest_of(double a, double b, double product) {
    double s = 134217729.0, ca = s * a, cb = s * b;
    double ah = ca - (ca - a), al = a - ah, bh = cb - (cb - b), bl = b - bh;
    return al * bl - (((product - ah * bh) - al * bh) - ah * bl);
}

static double dekker(double a, double b, double c, double d) {
    double ab = a * b, cd = c * d;
    return (ab - cd) + (rest_of(a, b, ab) - rest_of(c, d, cd));
}

static double fused(double a, double b, double c, double d) {
    double cd = c * d, rest = fma(-c, d, cd), difference = fma(a, b, -cd);
    return difference + rest;
}

int main(int argc, char **argv) {
    const char *how = argv[1];
    double a = atof(argv[2]), b = atof(argv[3]), c = atof(argv[4]), d = atof(argv[5]);
    double result = !strcmp(how, "naive")    ? naive(a, b, c, d)
                    : !strcmp(how, "dekker") ? dekker(a, b, c, d)
                                             : fused(a, b, c, d);
    printf("%.17g\n", result); /* REACHED */
}
