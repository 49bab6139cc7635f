// The whole of C99's math library in double, float and long double, arguments from memory.
#include <math.h>
#include <stdio.h>

#define THREE(name) {#name, name, name##f, name##l}

static const struct {
    const char *name;
    double (*d)(double);
    float (*f)(float);
    long double (*l)(long double);
} unaries[] = {THREE(sin),   THREE(cos),   THREE(tan),   THREE(asin),  THREE(acos),  THREE(atan),   THREE(sinh),   THREE(cosh),
               THREE(tanh),  THREE(asinh), THREE(acosh), THREE(atanh), THREE(exp),   THREE(exp2),   THREE(expm1),  THREE(log),
               THREE(log2),  THREE(log10), THREE(log1p), THREE(sqrt),  THREE(cbrt),  THREE(erf),    THREE(erfc),   THREE(tgamma),
               THREE(lgamma), THREE(floor), THREE(ceil), THREE(trunc), THREE(round), THREE(rint),   THREE(nearbyint), THREE(fabs)};

static const struct {
    const char *name;
    double (*d)(double, double);
    float (*f)(float, float);
    long double (*l)(long double, long double);
} binaries[] = {THREE(pow),  THREE(atan2), THREE(hypot),    THREE(fmod),      THREE(remainder), THREE(fdim),
                THREE(fmin), THREE(fmax),  THREE(copysign), THREE(nextafter)};

static double direct(double x, double y) {
    int exponent, quotient;
    double whole, significand = frexp(x, &exponent), rest = modf(y, &whole), left = remquo(y, x, &quotient);
    double sum = sin(x) * cos(y) + tan(x) - exp(-x) + log(y) + pow(x, y) + atan2(y, x) + cbrt(x) + expm1(x) + log1p(y);
    sum += fma(x, y, significand) + rest - whole + left + ldexp(x, exponent) + scalbn(y, -3) + logb(y) + fdim(y, x);
    sum += fmax(x, y) * fmin(x, y) + hypot(x, y) + erf(x) + tgamma(y) + lrint(y) + llround(x * 10) + ilogb(y) + quotient % 8;
    return sum + floor(y) + ceil(y) + trunc(x) + round(y) + rint(x) + nearbyint(y) + fabs(-x) + copysign(x, -y);
}

static float directf(float x, float y) {
    int exponent;
    float significand = frexpf(x, &exponent);
    float sum = sinf(x) + cosf(y) + tanf(x) + expf(-x) + logf(y) + powf(x, y) + sqrtf(y) + cbrtf(x) + atan2f(x, y) + fmodf(y, x);
    return sum + fmaf(x, y, significand) + ldexpf(x, exponent) + fmaxf(x, y) + floorf(y) + roundf(y) + hypotf(x, y);
}

int main(void) {
    volatile double arguments[] = {0.3, 0.9, 0.05};
    for (unsigned i = 0; i < sizeof unaries / sizeof *unaries; i++)
        for (int k = 0; k < 3; k++) {
            double x = arguments[k] + (unaries[i].d == acosh ? 1 : 0);
            printf("%s %a %a %La\n", unaries[i].name, unaries[i].d(x), unaries[i].f((float)x), unaries[i].l(x / 3.0L + (unaries[i].d == acosh)));
        }
    for (unsigned i = 0; i < sizeof binaries / sizeof *binaries; i++)
        for (int k = 0; k < 3; k++) {
            double x = arguments[k], y = 2.7 - x;
            printf("%s %a %a %La\n", binaries[i].name, binaries[i].d(y, x), binaries[i].f((float)y, (float)x), binaries[i].l(x, y / 3.0L));
        }
    for (int k = 0; k < 3; k++) {
        double x = arguments[k], y = 4.3 + k;
        printf("%a %a\n", direct(x, y), directf((float)x, (float)y));
    }
    return 0;
}
