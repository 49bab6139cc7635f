// Tables of function pointers, functions that return functions, recursion (adaptive quadrature,
// mutual, tail).
#include <math.h>
#include <stdio.h>

typedef double (*Unary)(double);
typedef double (*Binary)(double, double);

static double cube(double x) { return x * x * x; }
static double logistic(double x) { return 1 / (1 + exp(-x)); }
static double plus(double a, double b) { return a + b; }
static double over(double a, double b) { return a / b; }
static double geometric(double a, double b) { return sqrt(fabs(a * b)); }

static Unary unaries[] = {cube, logistic, sin, sqrt, fabs, cbrt};
static Binary binaries[] = {plus, over, geometric, atan2, fmax, hypot};

static double simpson(Unary f, double a, double b) { return (b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b)); }

static double adaptive(Unary f, double a, double b, double whole, double tolerance, int depth) {
    double middle = (a + b) / 2, left = simpson(f, a, middle), right = simpson(f, middle, b);
    double error = left + right - whole;
    if (depth == 0 || fabs(error) < 15 * tolerance) return left + right + error / 15;
    return adaptive(f, a, middle, left, tolerance / 2, depth - 1) + adaptive(f, middle, b, right, tolerance / 2, depth - 1);
}

static double odd(double x, int n);
static double even(double x, int n) { return n == 0 ? x : odd(x * 1.01 + 0.1, n - 1); }
static double odd(double x, int n) { return n == 0 ? -x : even(x / 1.02 - 0.1, n - 1); }

static float horner(const float *coefficients, int n, float x, float sum) {
    if (n == 0) return sum;
    return horner(coefficients, n - 1, x, sum * x + coefficients[n - 1]);
}

static Unary choose(double x) { return unaries[(int)(fabs(x) * 10) % 6]; }

int main(void) {
    volatile double seed = 0.7;
    double x = seed;
    for (int i = 0; i < 60; i++) {
        x = binaries[i % 6](choose(x)(x + 0.01), 1.5 + i * 0.1);
        if (i % 4 == 0) printf("%a\n", x);
    }
    for (int i = 0; i < 6; i++) {
        Unary f = unaries[i];
        printf("%.17g\n", adaptive(f, 0.1, seed + i, simpson(f, 0.1, seed + i), 1e-9, 12));
    }
    printf("%a %a\n", even(x, 101), odd(x, 100));
    float coefficients[] = {0.1f, -0.2f, 0.3f, -0.4f, 0.5f, -0.6f, 0.7f};
    printf("%a\n", horner(coefficients, 7, (float)seed, 0.0f));
    return 0;
}
