// args: 1e7 1000
// The variance in three forms.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    double offset = atof(argv[1]);
    int n = atoi(argv[2]);
    double *x = malloc(n * sizeof *x);
    for (int i = 0; i < n; i++)
        x[i] = offset + (i * 37 % 101) / 64.0;

    double sum = 0;
    double squares = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    double textbook = (squares - sum * sum / n) / (n - 1);

    double mean = sum / n;
    double twice = 0;
    for (int i = 0; i < n; i++) {
        double d = x[i] - mean;
        twice += d * d;
    }
    double two_passes = twice / (n - 1);

    double running = 0;
    double spread = 0;
    for (int i = 0; i < n; i++) {
        double d = x[i] - running;
        running += d / (i + 1);
        spread += d * (x[i] - running);
    }
    double welford = spread / (n - 1);
    printf("textbook %.15g\n", textbook);
    printf("two passes %.17g\n", two_passes);
    printf("welford %.15g\n", welford);
    free(x);
    return argc > 99;
}
