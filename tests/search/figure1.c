/* Figure 1 of Atomu's paper: 1/2 near 0, but 0 is what comes out. */
#include <math.h>

double foo(double x) {
  double v1 = cos(x);
  double v2 = 1.0 - v1; /* guilty */
  double v3 = x * x;
  return v2 / v3;
}
