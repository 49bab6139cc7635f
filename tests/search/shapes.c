/* Arguments and results of all kinds. */
#include <math.h>

float single(float x) { return (x + 1e4f) - 1e4f; }

long double wide(long double x, int k) { return k * (x - 1.0L); }

void norms(const double *v, int n, double *sum, double *both) {
  *sum = both[0] = both[1] = 0.0;
  for (int i = 0; i < n; i++) {
    *sum += v[i];
    both[0] += fabs(v[i]);
    both[1] = fmax(both[1], fabs(v[i]));
  }
}

struct point { double x, y; };
double by_value(struct point p) { return p.x - p.y; }
int whole(int n) { return n; }

/* Too large for its square: 0 where 1/x is right. */
double overflows(double x) { return x / (x * x); }
