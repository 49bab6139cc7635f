/* An error goes a long way from where it was inflated to where it decides: through arithmetic, memory and a
 * function. What is beside the way is not of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double kept[4];

__attribute__((noinline)) static double lowered(double x) {
    return sqrt(fabs(x)) / 7; /* WAY */
}

int main(int argc, char **argv) {
    double x = strtod(argv[1], NULL);
    double beside = x * 1.25 + 3;
    double left = (x + 0.2) - 0.3; /* ORIGIN */
    kept[argc] = left * 3; /* WAY */
    double low = lowered(kept[argc]);
    printf("%d %.3f\n", low > 1e-10, beside); /* UNSTABLE */
    return 0;
}
