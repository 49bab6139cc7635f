// args: 1 -1e5 1 3
// A root of a cubic by Cardano's formula.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    double a = atof(argv[1]), b = atof(argv[2]), c = atof(argv[3]), d = atof(argv[4]);
    double p = (3 * a * c - b * b) / (3 * a * a);
    double q = (2 * b * b * b - 9 * a * b * c + 27 * a * a * d) / (27 * a * a * a);
    double disc = q * q / 4 + p * p * p / 27;
    if (disc >= 0) {
        double s = sqrt(disc);
        printf("x = %.9g\n", cbrt(-q / 2 + s) + cbrt(-q / 2 - s) - b / (3 * a));
    } else {
        double r = sqrt(-p * p * p / 27), phi = acos(-q / (2 * r));
        for (int k = 0; k < 3; k++)
            printf("x%d = %.9g\n", k, 2 * cbrt(r) * cos((phi + 2 * M_PI * k) / 3) - b / (3 * a));
    }
    return 0;
}
