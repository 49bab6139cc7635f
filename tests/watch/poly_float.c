/* Bao and Zhang, Figure 1 (a): (x - 1)^4 expanded, in single precision. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    float x = strtof(argv[1], NULL);
    float z = x * x * x * x - 4 * x * x * x + 6 * x * x - 4 * x + 1;
    if (z > 0.5f) /* UNSTABLE */
        printf("hit\n");
    else
        printf("miss\n");
    return 0;
}
