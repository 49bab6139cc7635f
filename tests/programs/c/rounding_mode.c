// lostbits: flags=-frounding-math
// lostbits: fresh=0
// Arithmetic, square roots, conversions and comparisons under all four rounding directions.
#include <fenv.h>
#include <math.h>
#include <stdio.h>

#pragma STDC FENV_ACCESS ON

static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

static double harmonic(int n) {
    double sum = 0;
    for (int i = 1; i <= n; i++) sum += 1.0 / i;
    return sum;
}

static float product(const float *v, int n) {
    float p = 1;
    for (int i = 0; i < n; i++) p *= v[i];
    return p;
}

int main(void) {
    volatile double third = 1.0 / 3, big = 16777217.0;
    float v[20];
    for (int i = 0; i < 20; i++) v[i] = 1.0f + (float)i * 0.037f;
    for (int m = 0; m < 4; m++) {
        if (fesetround(modes[m])) return 3;
        double sum = harmonic(300), root = sqrt(third * (m + 1)), fused = fma(third, third, -0.1);
        float narrowed = (float)big, p = product(v, 20);
        long double wide = (long double)third / 7;
        float from_int = (float)(16777219 + m);
        double nearby = nearbyint(third * 10), whole = rint(2.5 * third * 3);
        long rounded = lrint(third * 7.5);
        int mode = fegetround() == modes[m];
        fesetround(FE_TONEAREST);
        printf("%a %a %a %a %a %La %a\n", sum, root, fused, narrowed, p, wide, from_int);
        printf("%a %a %ld %d\n", nearby, whole, rounded, mode);
        fesetround(modes[m]);
        printf("%.17g %.3f\n", third, third * 2); /* printf itself rounds by the mode */
        fesetround(FE_TONEAREST);
    }
    return 0;
}
