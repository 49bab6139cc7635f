/* Accurate but near 113. */
#include <stdio.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

__attribute__((noinline)) static double baz(double x) {
    double z = 1 / (x - 113);
    return (z + PI) - z; /* CAUSE */
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        printf("%.17g\n", baz(atof(argv[i]))); /* REACHED */
}
