/* A loop of several threads, which the compiler makes a function of its own, with variables of its own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    double roots[64], x = atof(argv[1]);
#pragma omp parallel for
    for (int i = 0; i < 64; i++)
        roots[i] = sqrt(x + i) - sqrt(x); /* CAUSE */
    for (int k = 1; k < 64; k++)
        printf("%.17g\n", roots[k]); /* REACHED */
}
