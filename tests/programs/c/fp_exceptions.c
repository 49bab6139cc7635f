// lostbits: flags=-frounding-math -ffp-exception-behavior=strict
// lostbits: fresh=0
// The exception flags that each operation raises, seen by fetestexcept; feholdexcept and feupdateenv.
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

#pragma STDC FENV_ACCESS ON

static void flags(const char *what, double result) {
    int raised = fetestexcept(FE_ALL_EXCEPT);
    printf("%s:%s%s%s%s%s", what, raised & FE_INVALID ? " invalid" : "", raised & FE_DIVBYZERO ? " divbyzero" : "",
           raised & FE_OVERFLOW ? " overflow" : "", raised & FE_UNDERFLOW ? " underflow" : "", raised & FE_INEXACT ? " inexact" : "");
    if (isnan(result)) printf(" nan\n");
    else printf(" %a\n", result);
    feclearexcept(FE_ALL_EXCEPT);
}

static double quiet_hypot(double a, double b) {
    fenv_t saved;
    feholdexcept(&saved);
    double result = sqrt(a * a + b * b);
    feclearexcept(FE_OVERFLOW);
    feupdateenv(&saved);
    return result;
}

int main(void) {
    volatile double zero = 0, one = 1, three = 3, huge = DBL_MAX, tiny = DBL_MIN, inf = INFINITY, nan = NAN;
    volatile float half = 0.5f;
    volatile double r;
    feclearexcept(FE_ALL_EXCEPT);
    r = one + three, flags("exact sum", r);
    r = one / three, flags("third", r);
    r = one / zero, flags("pole", r);
    r = zero / zero, flags("0/0", r);
    r = huge * three, flags("too large", r);
    r = tiny / three, flags("too small", r);
    r = tiny / 4, flags("subnormal exact", r);
    r = inf - inf, flags("inf-inf", r);
    r = sqrt(-one), flags("sqrt", r);
    r = (float)(one / 10), flags("narrow", r);
    r = half * half, flags("float exact", r);
    r = nan < one, flags("nan < 1", r);
    r = nan == one, flags("nan == 1", r);
    r = fma(huge, three, -huge), flags("fma", r);
    r = (int)(three / 2), flags("to int", r);
    r = rint(three / 2), flags("rint", r);
    r = nearbyint(three / 2), flags("nearbyint", r);
    r = exp(1000 * one), flags("exp", r);
    r = log(zero), flags("log", r);
    r = quiet_hypot(huge, one), flags("held", r);
    feraiseexcept(FE_UNDERFLOW | FE_INVALID);
    flags("raised", one);
    return 0;
}
