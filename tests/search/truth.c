/* Subjects for what confirms a finding. */
#include <math.h>

/* A correct sine for |x| < 1000: rounding by 1.5 * 2^52, pi/2 in three parts (Cody and Waite). */
static double sine(double x) {
  const double shift = 6755399441055744.0;
  double n = x * 0.63661977236758134308 + shift;
  n -= shift;
  double r = ((x - n * 1.57079632673412561417e+00) - n * 6.07710050630396597660e-11) - n * 2.02226624879595063154e-21;
  int quadrant = (int)(long)n & 3;
  double s = r * r;
  double sine = r + r * s * (-1.66666666666666324348e-01 + s * (8.33333333332248946124e-03 + s * (-1.98412698298579493134e-04
              + s * (2.75573137070700676789e-06 + s * (-2.50507602534068634195e-08 + s * 1.58969099521155010221e-10)))));
  double cosine = 1 - s / 2 + s * s * (4.16666666666666019037e-02 + s * (-1.38888888888741095749e-03
              + s * (2.48015872894767294178e-05 + s * (-2.75573143513906633035e-07 + s * (2.08757232129817482790e-09
              + s * -1.13596475577881948265e-11)))));
  switch (quadrant) {
  case 0: return sine;
  case 1: return cosine;
  case 2: return -sine;
  default: return -cosine;
  }
}

double reduced_sin(double x) { return sine(x); }
double unnamed(double x) { return sine(x); }

/* The lower half of a number: nothing in exact arithmetic, in which no half is rounded (Veltkamp). */
double lower_half(double x) {
  double scaled = 134217729 * x;
  return x - (scaled - (scaled - x));
}

/* Loses the digits of small x. */
double my_log1p(double x) { return log(1 + x); }

/* The series of J0, which cancels for larger x. */
double bj0(double x) {
  double term = 1, sum = 1;
  for (int k = 1; k < 60; k++) {
    term *= -x * x / 4 / k / k;
    sum += term;
  }
  return sum;
}

/* Not the gamma function. */
double gamma(double x) { return x * 2 + 1; }

double two(double x, double y) { return x + y; }
