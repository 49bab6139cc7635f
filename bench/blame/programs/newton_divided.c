// args: 12 0.001
// Newton's divided differences of exp at equidistant points.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    double h = atof(argv[2]), x[32], f[32];
    for (int i = 0; i < n; i++) {
        x[i] = 1 + i * h;
        f[i] = exp(x[i]);
    }
    for (int k = 1; k < n; k++)
        for (int i = n - 1; i >= k; i--)
            f[i] = (f[i] - f[i - 1]) / (x[i] - x[i - k]);
    for (int i = 0; i < 5; i++)
        printf("c%d = %.10g\n", i, f[i]);
    return 0;
}
