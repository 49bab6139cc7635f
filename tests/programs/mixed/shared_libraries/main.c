#include <math.h>
#include <stdio.h>

double inner(double x, double (*callback)(double, float));
double outer(const double *v, int n);
extern double inner_state;
extern _Thread_local double inner_local;

static double halve(double x, float y) { return x / 2 + y; }

int main(void) {
    volatile double seed = 0.4;
    double v[20];
    for (int i = 0; i < 20; i++) v[i] = sin(i * seed);
    for (int n = 1; n <= 20; n += 2) {
        printf("%a %a ", outer(v, n), inner(seed * n, halve));
        inner_state *= 1.01;
        printf("%a %a\n", inner_state, inner_local);
    }
    return 0;
}
