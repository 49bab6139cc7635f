/* Bao and Zhang, Figure 1 (c): (x - 1)^4, not expanded. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    double x = strtod(argv[1], NULL);
    double z = (x - 1) * (x - 1) * (x - 1) * (x - 1);
    if (z > 0.5) /* UNSTABLE */
        printf("hit\n");
    else
        printf("miss\n");
    return 0;
}
