// args: 1000000 0.5
// Upper tail of the normal distribution as a difference, and a p-value by it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
static double phi(double x) { return 0.5 * (1 + erf(x / sqrt(2))); }
int main(int argc, char **argv) {
    double n = atof(argv[1]), p = atof(argv[2]);
    double z = (n * p + 4000 - n * p) / sqrt(n * p * (1 - p));
    printf("z %.6f\n", z);
    printf("tail %.6e\n", 1 - phi(z));
    return 0;
}
