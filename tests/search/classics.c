/* Classic algorithms, two stable and four not, after the sanity check of LSGA's paper. */
#include <math.h>

/* Stable: Newton's iteration for a square root. */
double newton(double x) {
  if (!(x > 1e-100 && x < 1e100)) return NAN;
  double r = x;
  for (int i = 0; i < 400; i++) r = 0.5 * (r + x / r);
  return r;
}

/* Stable: an inverse without division. */
double inv(double x) {
  if (!(x > 0)) return NAN;
  int e;
  double m = frexp(x, &e), r = 48.0 / 17.0 - 32.0 / 17.0 * m;
  for (int i = 0; i < 6; i++) r = r * (2.0 - m * r);
  return ldexp(r, -e);
}

/* Unstable: the smaller root of x² + 2bx + 1. */
double root(double b) { return -b + sqrt(b * b - 1.0); }

/* Unstable: (x - 1)^6, expanded. */
double poly(double x) {
  return 1.0 + x * (-6.0 + x * (15.0 + x * (-20.0 + x * (15.0 + x * (-6.0 + x)))));
}

/* Unstable: series that alternate. */
double exp_series(double x) {
  double term = 1.0, sum = 1.0;
  for (int i = 1; i < 200; i++) sum += term *= x / i;
  return sum;
}

double cos_series(double x) {
  double term = 1.0, sum = 1.0;
  for (int i = 1; i < 100; i++) sum += term *= -x * x / ((2.0 * i - 1.0) * (2.0 * i));
  return sum;
}
