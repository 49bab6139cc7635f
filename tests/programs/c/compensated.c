// lostbits: flags=-ffp-contract=off
// lostbits: fresh=1
// Error-free transformations: two-sum, Dekker's product, Kahan, Neumaier, double-double. Any
// reassociation or change of contraction shows at once.
#include <math.h>
#include <stdio.h>

typedef struct { double high, low; } DoubleDouble;

static DoubleDouble two_sum(double a, double b) {
    double s = a + b, bb = s - a;
    return (DoubleDouble){s, (a - (s - bb)) + (b - bb)};
}

static DoubleDouble two_product(double a, double b) {
    double ca = 134217729.0 * a, cb = 134217729.0 * b;
    double ah = ca - (ca - a), al = a - ah, bh = cb - (cb - b), bl = b - bh, p = a * b;
    return (DoubleDouble){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static DoubleDouble add(DoubleDouble a, DoubleDouble b) {
    DoubleDouble s = two_sum(a.high, b.high);
    return two_sum(s.high, s.low + a.low + b.low);
}

static DoubleDouble multiply(DoubleDouble a, DoubleDouble b) {
    DoubleDouble p = two_product(a.high, b.high);
    return two_sum(p.high, p.low + a.high * b.low + a.low * b.high);
}

static float kahan(const float *v, int n) {
    float sum = 0, lost = 0;
    for (int i = 0; i < n; i++) {
        float y = v[i] - lost, t = sum + y;
        lost = (t - sum) - y;
        sum = t;
    }
    return sum;
}

static double neumaier(const double *v, int n) {
    double sum = v[0], lost = 0;
    for (int i = 1; i < n; i++) {
        double t = sum + v[i];
        lost += fabs(sum) >= fabs(v[i]) ? (sum - t) + v[i] : (v[i] - t) + sum;
        sum = t;
    }
    return sum + lost;
}

int main(void) {
    volatile double seed = 0.1;
    double v[300];
    float f[300];
    for (int i = 0; i < 300; i++) {
        v[i] = (i % 3 - 1) * exp(i % 40) * (i + seed);
        f[i] = (float)(seed / (i + 1));
    }
    printf("%a %a\n", kahan(f, 300), neumaier(v, 300));
    DoubleDouble x = {seed, 0}, sum = {0, 0}, power = {1, 0};
    for (int i = 1; i <= 25; i++) {
        power = multiply(power, x);
        sum = add(sum, (DoubleDouble){power.high / i, power.low / i});
        DoubleDouble p = two_product(sum.high, 1 / 3.0), q = two_sum(sum.high, power.high * 1e9);
        printf("%a %a %a %a %a\n", sum.high, sum.low, p.low, q.low, fma(sum.high, 1 / 3.0, -p.high));
    }
    return 0;
}
