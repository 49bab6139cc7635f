/* Compiled with -ffast-math, which promises that there is no NaN. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    double x = atof(argv[2]);
    if (!strcmp(argv[1], "cosine"))
        printf("%.17g\n", (1 - cos(x)) / (x * x)); // CAUSE cosine REACHED cosine
    else if (!strcmp(argv[1], "root")) {
        double y = sqrt(x + 1) - sqrt(x); // CAUSE root
        printf("%.17g\n", y);             // REACHED root
    } else if (!strcmp(argv[1], "float")) {
        float u = (float)x, v = expf(u) - 1; // CAUSE float
        printf("%.9g\n", v / u);             // REACHED float
    }
}
