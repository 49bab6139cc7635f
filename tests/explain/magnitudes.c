/* The real value has another sign than the program's: its magnitude is positive all the same. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    double x = atof(argv[2]);
    double sum = 0, y = (1 - x) - 1 + 1e-20; // CAUSE double
    float z = (1 - (float)x) - 1 + 1e-20f;   // CAUSE float
    if (!strcmp(argv[1], "fabs")) {
        for (int i = 0; i < argc; i++)
            sum += fabs(y);
        if (sum < 0)
            puts("never, nor in the reals");
        printf("%g in sum\n", sum); // REACHED fabs
    } else if (!strcmp(argv[1], "single"))
        printf("%g single\n", fabsf(z)); // REACHED single
    else if (!strcmp(argv[1], "size"))
        printf("%g in size\n", copysign(y, x)); // REACHED size
    else
        printf("%g in sign\n", copysign(x, y)); // REACHED sign
}
