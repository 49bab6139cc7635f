// errno as the math library leaves it, and as the program set it before harmless arithmetic.
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show(const char *what, double value) {
    int code = errno;
    if (isnan(value)) printf("%s nan %s\n", what, strerror(code));
    else printf("%s %a %s\n", what, value, strerror(code));
    errno = 0;
}

int main(void) {
    volatile double zero = 0, minus = -1, huge = 1e300, small = 1e-300;
    double array[40];
    errno = 0;
    show("log(0)", log(zero));
    show("log(-1)", log(minus));
    show("sqrt(-1)", sqrt(minus));
    show("acos(2)", acos(2 - zero));
    show("exp(1e300)", exp(huge));
    show("exp(-1e300)", exp(-huge));
    show("pow(0,-1)", pow(zero, minus));
    show("pow(-1,0.5)", pow(minus, 0.5));
    show("pow huge", pow(huge, 2));
    show("pow fine", pow(2.5 + zero, 2));
    show("fmod", fmod(1 + zero, zero));
    show("lgamma(-1)", lgamma(minus));
    show("tgamma(0)", tgamma(zero));
    show("atanh(1)", atanh(1 + zero));
    show("ldexp", ldexp(1 + zero, 5000));
    show("expf", expf((float)(100 - minus)));
    show("sinhl", (double)sinhl(20000 + zero));
    show("hypot", hypot(DBL_MAX + zero, DBL_MAX));
    show("strtod", strtod("1e999", NULL));
    errno = ERANGE;
    for (int i = 0; i < 40; i++) array[i] = small * i + sqrt(i + zero) + sin(i * 0.1);
    show("kept", array[39]);
    errno = E2BIG;
    double *more = calloc(1000, sizeof *more);
    memcpy(more, array, sizeof array);
    more = realloc(more, 100000 * sizeof *more);
    show("kept", more[17] * 3);
    free(more);
    return 0;
}
