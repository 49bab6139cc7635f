// args: 8 0.99999999
// A Legendre polynomial and its slope near the end of its interval.
#include <stdio.h>
#include <stdlib.h>

static double polynomial(int n, double x, double *before)
{
    double last = 1;
    double now = x;
    for (int k = 2; k <= n; k++) {
        double next = ((2 * k - 1) * x * now - (k - 1) * last) / k;
        last = now;
        now = next;
    }
    *before = last;
    return now;
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    double x = atof(argv[2]);
    double before;
    double value = polynomial(n, x, &before);
    double difference = x * value - before;
    double slope = n * difference / (x * x - 1);
    printf("value %.15g\n", value);
    printf("slope %.15g\n", slope);
    return argc > 99;
}
