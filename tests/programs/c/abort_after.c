// lostbits: signal=6
// lostbits: fresh=0
// Ends by abort() from a failed assertion about FP values, after output on both streams.
#include <assert.h>
#include <math.h>
#include <stdio.h>

static double residual(double x) { return x * x * x - 2 * x - 5; }

int main(void) {
    volatile double seed = 3;
    double x = seed;
    for (int i = 0; i < 8; i++) {
        x -= residual(x) / (3 * x * x - 2);
        printf("%a %a\n", x, residual(x));
    }
    fprintf(stderr, "root %.17g\n", x);
    fflush(stdout);
    assert(fabs(residual(x)) > 1.0);
    return 0;
}
