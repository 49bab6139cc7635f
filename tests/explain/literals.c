// What the source writes as a number, and what merely had a value, in code that runs once.
#include <stdio.h>
#include <stdlib.h>

static double by_literal(double x)
{
    return x + 1e16 - 1e16; // CAUSE literal
}

static double by_float(float x)
{
    return x + 3e8f - 3e8f; // CAUSE float
}

static double by_input(double x, double big)
{
    return x + big - big; // CAUSE input
}

// Is inlined, and the optimiser knows what it is given.
static inline double by_parameter(double x, double large)
{
    return x + large - large; // CAUSE parameter
}

// A variable that never changes.
static double by_variable(double x)
{
    double huge = 1e17;
    return x + huge - huge; // CAUSE variable
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    // A small whole number, as literals are, too.
    double x = atof(argv[1]), big = atof(argv[2]);
    printf("%.17g\n", by_literal(x));
    printf("%.17g\n", by_float((float)x));
    printf("%.17g\n", by_input(x, big));
    printf("%.17g\n", by_parameter(x, 1e18));
    // Does not run.
    if (x > 100)
        printf("%.17g\n", by_parameter(x, 1e19));
    printf("%.17g\n", by_variable(x));
    return 0;
}
