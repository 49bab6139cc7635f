/* Functions for `lostbits search --all`: some wrong, some right, some that it cannot call. */
#include <complex.h>
#include <math.h>
struct pair { double a, b; };
typedef double (*callback)(double);
double versine(double x) { return (1 - cos(x)) / (x * x); }
float difference(float x, float y) { return x * x - y * y; }
double safe(double x) { return 2 * x; }
double half_open(double x) { return sqrt(x - 1) * 3; }
double power(int n, double x) { double r = 1; for (int i = 0; i < n; i++) r *= x; return n > 2 ? r : r - 1; }
double variance(const double *v, int n) {
    double s = 0, q = 0;
    for (int i = 0; i < n; i++) { s += v[i]; q += v[i] * v[i]; }
    return (q - s * s / n) / (n - 1);
}
int split(double x, double *y) { *y = (x + 1) - x; return 0; }
struct mixed { int n; double a; };
double of_structure(struct pair p) { return p.a - p.b; }
double _Complex root(double _Complex z) { return (z + 1.0) - z; }
struct pair parts(double x) { struct pair p = {(x + 1) - x, 2 * x}; return p; }
double of_mixed(struct mixed m) { return m.n * m.a; }
double with_callback(callback f, double x) { return f(x) - f(-x); }
double with_data(double (*f)(double, void *), double x, void *data) { return f(x, data); }
double with_two(double (*f)(double, double), double x) { return f(x, x); }
double never(double x) { return x * NAN; }
int whole(int n) { return n; }
float expf_(float x) { return x > 88.8f ? INFINITY : expf(x); }
double poles(double x) { return tgamma(x) + 1; }
double drawn(double x) { static double state = 0.1; state = 3.9 * state * (1 - state); return x * state; }
