// C99 complex in all three precisions: arithmetic, library functions, by value and through memory.
#include <complex.h>
#include <math.h>
#include <stdio.h>

#define OUT_OF_LINE __attribute__((noinline))

OUT_OF_LINE static float complex stepf(float complex z, float complex c) { return z * z + c; }
OUT_OF_LINE static double complex step(double complex z, double complex c) { return (z * z * z + c) / (z + 2.0); }
OUT_OF_LINE static long double complex stepl(long double complex z, long double s) { return z / (1.5L + s * I) + 0.25L; }

static void show(const char *name, double complex z) { printf("%s %a %a\n", name, creal(z), cimag(z)); }

static void transform(double complex *v, int n, int sign) {
    for (int i = 1, j = 0; i < n; i++) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j |= bit;
        if (i < j) {
            double complex t = v[i];
            v[i] = v[j];
            v[j] = t;
        }
    }
    for (int length = 2; length <= n; length <<= 1) {
        double complex root = cexp(sign * 2 * M_PI * I / length);
        for (int i = 0; i < n; i += length) {
            double complex w = 1;
            for (int k = 0; k < length / 2; k++, w *= root) {
                double complex a = v[i + k], b = v[i + k + length / 2] * w;
                v[i + k] = a + b;
                v[i + k + length / 2] = a - b;
            }
        }
    }
}

int main(void) {
    volatile double seed = 0.4;
    float complex zf = (float)seed + 0.1f * I;
    double complex z = seed - 0.3 * I;
    long double complex zl = seed + 2.0L * I;
    for (int i = 0; i < 12; i++) {
        zf = stepf(zf, -0.12f + 0.74f * I);
        z = step(z, 0.3 + 0.5 * I);
        zl = stepl(zl, i);
        printf("%a %a | %a %a | %La %La\n", crealf(zf), cimagf(zf), creal(z), cimag(z), creall(zl), cimagl(zl));
    }
    show("sqrt", csqrt(z));
    show("exp", cexp(z));
    show("log", clog(z));
    show("pow", cpow(z, 0.3 + 0.1 * I));
    show("sin", csin(z));
    show("atanh", catanh(z));
    show("conj", conj(z) * ~z);
    printf("%a %a %a\n", cabs(z), carg(z), (double)cabsf(zf));
    printf("%d %d\n", z == conj(conj(z)), z != 0.0);
    show("inf", (INFINITY + 1.0 * I) * (1.0 + seed * I) == 0 ? 1.0 : 2.0);
    double complex v[32];
    for (int i = 0; i < 32; i++) v[i] = sin(i * seed) + i * 0.01 * I;
    transform(v, 32, 1);
    for (int i = 0; i < 32; i += 5) show("v", v[i]);
    transform(v, 32, -1);
    for (int i = 0; i < 32; i += 5) show("back", v[i] / 32);
    return 0;
}
