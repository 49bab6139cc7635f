/* Needs more bits than the fast shadows have: reads numbers, so that a second run must read them again. */
#include <math.h>
#include <stdio.h>

__attribute__((noinline)) static double slope(double x) {
    return (1 - cos(x)) / (x * x); /* CAUSE */
}

int main(void) {
    double x;
    while (scanf("%lf", &x) == 1)
        printf("%.17g\n", slope(x)); /* REACHED */
}
