/* Functions with the names of libm's, as a port of it has: the library's own must be searched. */
#include <math.h>

double expm1(double x) { return exp(x) - 1; }

/* A part of the implementation, right only for small arguments. */
double __kernel_versine(double x) { return (1 - cos(x)) / (x * x); }
