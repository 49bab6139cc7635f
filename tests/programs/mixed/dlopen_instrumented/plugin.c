#include <math.h>

static double state = 1.5;
static _Thread_local double local = 0.1;

__attribute__((constructor)) static void loaded(void) { state = sqrt(state); }

double step(double x, double (*callback)(double)) {
    local = local * 0.5 + x;
    state = state / 3 + callback(local + state);
    return state;
}

void fill(double *out, int n, float scale) {
    for (int i = 0; i < n; i++) out[i] = out[i] * scale + exp(-i * 0.1);
}

struct Pair { double a; float b; } pair(struct Pair p) {
    struct Pair out = {p.a * p.b, (float)(p.a / 3)};
    return out;
}
