/* Numbers that underflow, and what is left of them many operations later. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double there_and_back(double x, int steps) {
    for (int i = 0; i < steps; i++)
        x *= 0.3;
    for (int i = 0; i < steps; i++)
        x /= 0.3; /* CAUSE double */
    return x;
}

static float there_and_back_short(float x, int steps) {
    for (int i = 0; i < steps; i++)
        x *= 0.3f;
    for (int i = 0; i < steps; i++)
        x /= 0.3f; /* CAUSE float */
    return x;
}

int main(int argc, char **argv) {
    const char *how = argv[1];
    double x = atof(argv[2]), result = 0;
    int steps = atoi(argv[3]);
    if (!strcmp(how, "double"))
        result = there_and_back(x, steps);
    else if (!strcmp(how, "float"))
        result = there_and_back_short(x, steps);
    else if (!strcmp(how, "once")) {
        float small = (float)x * (float)x; /* CAUSE once */
        for (int i = 0; i < steps; i++)
            small *= 1e10f;
        result = small;
    } else if (!strcmp(how, "norm")) {
        for (int i = 0; i < steps; i++)
            result += x * x; /* CAUSE norm */
        for (int i = 0; i < steps; i++)
            result *= 4;
        result = sqrt(result);
    } else {
        /* Tails of a sum, and numbers next to nothing that are printed: nothing is lost by that. */
        for (int i = 0; i < steps; i++)
            result += exp(-x * i * i);
        printf("%g\n", exp(-x * steps * steps) * 3);
    }
    printf("%.17g\n", result);
}
