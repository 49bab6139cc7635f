// lostbits: fresh=0
// x87 extended precision: arithmetic, arrays, conversions, arguments, library functions.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct { char c; long double x; double y; } Holder;

__attribute__((noinline)) static long double newton(long double target, long double guess, double damping) {
    for (int i = 0; i < 6; i++) guess -= damping * (guess * guess - target) / (2 * guess);
    return guess;
}

static long double polynomial(const long double *c, int n, long double x) {
    long double sum = 0;
    for (int i = n - 1; i >= 0; i--) sum = sum * x + c[i];
    return sum;
}

static void show(long double x) {
    unsigned char bytes[16];
    memcpy(bytes, &x, sizeof bytes);
    for (int i = 9; i >= 0; i--) printf("%02x", bytes[i]);
    printf(" %.21Lg\n", x);
}

int main(void) {
    volatile double seed = 1.7;
    long double coefficients[8], table[20];
    for (int i = 0; i < 8; i++) coefficients[i] = 1.0L / (i + seed);
    long double x = seed;
    for (int i = 0; i < 20; i++) {
        x = newton(2 + i, x, 0.9) + polynomial(coefficients, 8, -x / 10);
        table[i] = x;
        double narrowed = (double)x;
        float narrower = (float)(x * 3);
        show(x);
        printf("%a %a %d %lld %d\n", narrowed, narrower, (int)x, (long long)(x * 1e12L), x > narrowed);
    }
    Holder holder = {'h', table[7], (double)table[8]}, copy = holder;
    copy.x *= copy.y;
    show(copy.x);
    show(sinl(x) + expl(x / 5) + logl(x) + sqrtl(x) + powl(x, 0.3L) + fabsl(-x) + fmodl(x, 0.7L));
    show(floorl(x) + ceill(x) + truncl(x * 3) + rintl(x * 5) + fmaxl(x, table[3]) + copysignl(2, -x));
    show(LDBL_EPSILON * x);
    show(ldexpl(x, -16400)); /* subnormal in this format */
    show((long double)(float)x - x);
    show((unsigned long long)(x * 1e18L) / 3.0L);
    printf("%d %d %d\n", table[1] < table[2], isnan(table[0] - INFINITY + INFINITY), x != x);
    return 0;
}
