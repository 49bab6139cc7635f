/* Bao and Zhang, Figure 1 (b): (x - 1)^4 expanded, in double precision. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    double x = strtod(argv[1], NULL);
    double z = x * x * x * x - 4 * x * x * x + 6 * x * x - 4 * x + 1;
    if (z > 0.5) /* UNSTABLE */
        printf("hit\n");
    else
        printf("miss\n");
    return 0;
}
