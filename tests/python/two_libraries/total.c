/* A library with a loss of its own, which must not be blamed for what another library did to the numbers of `total`. */
#include <lostbits.h>

double other(double x) {
    double y = (1 + (x + 1e15)) - 1e15; /* INNOCENT */
    lostbits_output(y);
    return y;
}

double total(double *x, long n) {
    double s = 0;
    for (long i = 0; i < n; i++) s += x[i];
    lostbits_output(s);
    return s;
}
