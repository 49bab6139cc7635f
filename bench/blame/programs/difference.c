// args: 1.3 1e-9 1e-4
// Derivatives by forward and central differences.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double f(double x)
{
    double cube = x * x * x;
    return exp(x) / (1 + cube);
}

int main(int argc, char **argv)
{
    double x = atof(argv[1]);
    double h = atof(argv[2]);
    double right = f(x + h);
    double left = f(x - h);
    double middle = f(x);
    double forward = (right - middle) / h;
    double central = (right - left) / (2 * h);
    double step = atof(argv[3]);
    double above = f(x + step);
    double below = f(x - step);
    double second = (above - 2 * middle + below) / (step * step);
    printf("forward %.15g\n", forward);
    printf("central %.15g\n", central);
    printf("second %.15g\n", second);
    return argc > 99;
}
