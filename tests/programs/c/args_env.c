// lostbits: status=8
// lostbits: args=2.5 -1e-3 0x1.8p3 inf 1e400 12abc 7
// lostbits: env=LOSTBITS_TEST_SCALE=0.37
// Parameters from the command line and the environment.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    const char *text = getenv("LOSTBITS_TEST_SCALE");
    double scale = text ? atof(text) : 1, sum = 0, least = INFINITY;
    double *values = malloc(sizeof *values * (size_t)argc);
    for (int i = 1; i < argc; i++) {
        char *rest;
        double x = strtod(argv[i], &rest);
        values[i] = isfinite(x) ? x : 99;
        printf("%s -> %a, rest '%s', %a\n", argv[i], values[i] * scale, rest, strtof(argv[i], NULL) / 3);
        sum += values[i] * scale;
        least = fmin(least, values[i]);
    }
    for (int i = 1; i < argc; i++) {
        double z = (values[i] - sum / argc) / (least - 1);
        printf("%a %.17g\n", z, exp(-z * z));
    }
    free(values);
    return argc;
}
