/* Correct functions whose numbers coincide, cancel on purpose, or are rounded by constants; and wrong ones like them. */
#include <complex.h>
#include <math.h>

/* ---- correct ---- */

/* The rounding error of a sum (Knuth). */
double rest_of_sum(double a, double b) {
  double s = a + b, from_b = s - a;
  return (a - (s - from_b)) + (b - from_b);
}

/* Neumaier's sum. */
double compensated(double a, double b, double c, double d) {
  double all[4] = {a, b, c, d}, sum = 0, rest = 0;
  for (int i = 0; i < 4; i++) {
    double next = sum + all[i];
    if (fabs(sum) >= fabs(all[i])) rest += (sum - next) + all[i];
    else rest += (all[i] - next) + sum;
    sum = next;
  }
  return sum + rest;
}

/* Kahan's difference of products. */
double determinant(double a, double b, double c, double d) {
  double product = b * c, rest = fma(-b, c, product);
  return fma(a, d, -product) + rest;
}

double rounded(double x) { return fabs(x) > 1e15 ? x : x + 6755399441055744.0 - 6755399441055744.0; }

double principal_root(double re, double im) {
  double size = cabs(re + I * im);
  return sqrt((size + fabs(re)) / 2);
}

/* What is left of a number is exact. */
double turns(double x) { return sin(fmod(x, 6.283185307179586)); }

/* ---- wrong ---- */

/* Its root is 0 where the product is absorbed: then `sqrt` has the bits of `b`. */
double root(double a, double b, double c) { return (-b + sqrt(b * b - 4 * a * c)) / (2 * a); }

double squares(double x, double y) { return x * x - y * y; }

double variance(const double *x, int n) {
  double s = 0, q = 0;
  for (int i = 0; i < n; i++) {
    s += x[i];
    q += x[i] * x[i];
  }
  return (q - s * s / n) / (n - 1);
}

/* (x - 1)^3, of which 128 bits leave nothing next to 1. */
double cube(double x) { return ((x - 3) * x + 3) * x - 1; }

double versine(double x) { return (1 - cos(x)) / (x * x); }
