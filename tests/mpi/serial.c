/* Without MPI, as a parameter study: each rank prints a sum that loses 1. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    double large = 1e16 + atof(argv[argc - 1]);
    printf("%g\n", (1 + large) - 1e16);
}
