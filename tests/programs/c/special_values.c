// lostbits: fresh=1
// NaN, infinities, subnormals and signed zeros through every operation, comparison and conversion.
// The sign and payload of a NaN that arithmetic makes are not printed: the standard leaves them open.
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void show(double x) {
    if (isnan(x)) printf(" nan");
    else printf(" %a", x);
}

static void showf(float x) {
    if (isnan(x)) printf(" nanf");
    else printf(" %a", x);
}

static void compare(double a, double b) {
    printf(" %d%d%d%d%d%d%d%d", a < b, a <= b, a > b, a >= b, a == b, a != b, isunordered(a, b), islessgreater(a, b));
}

int main(void) {
    volatile double zero = 0.0, one = 1.0;
    double values[] = {zero,      -zero,           one,         -one / 3, DBL_MIN, -DBL_MIN / 3, 4.9406564584124654e-324 * one, DBL_MAX,
                       -DBL_MAX,  one / zero,      -one / zero, NAN * one, DBL_EPSILON, 1e308 * one, 1e-308 * one};
    int n = sizeof values / sizeof *values;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double a = values[i], b = values[j];
            show(a + b);
            show(a - b);
            show(a * b);
            show(a / b);
            show(fmin(a, b) == 0 ? 0.0 : fmin(a, b)); /* the sign of a zero is left open here */
            show(fmod(a, b));
            show(copysign(a, b));
            showf((float)a * (float)b);
            compare(a, b);
            printf("\n");
        }
        double a = values[i];
        float f = (float)a;
        show(-a);
        show(fabs(a));
        show(sqrt(fabs(a)));
        show(floor(a));
        showf(f);
        showf(f / 3);
        show((double)f);
        show(exp(a));
        show(atan(a));
        printf(" %d %d %d\n", fpclassify(a), signbit(a) && !isnan(a), isfinite(a) ? (int)fmax(fmin(a, 1e9), -1e9) : 0);
    }
    /* A NaN that is only copied keeps its payload. */
    uint64_t bits = 0x7ff8000000001234, back;
    double carried[3];
    memcpy(&carried[0], &bits, sizeof bits);
    carried[1] = carried[0];
    memcpy(carried + 2, carried + 1, sizeof *carried);
    memcpy(&back, carried + 2, sizeof back);
    printf("%llx\n", (unsigned long long)back);
    float tiny = FLT_MIN;
    for (int i = 0; i < 26; i++, tiny /= 2) showf(tiny);
    printf("\n");
    return 0;
}
