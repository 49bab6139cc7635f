#include <math.h>

double step(double x, double (*callback)(double, float)) { return sqrt(fabs(callback(x * 2, 0.1f))) + callback(0.3, (float)x); }

void fill(double *out, int n) {
    for (int i = 0; i < n; i++) out[i] = out[i] / 2 + i * 0.1;
}

struct Pair { double a; float b; } pair(struct Pair p) {
    struct Pair out = {p.a * p.b, (float)(p.a / 3)};
    return out;
}

long double extended(long double x) { return x / 3; }
