#include <stdio.h>
#include <stdlib.h>
#include <math.h>

/* (1 - cos x) / x^2, which tends to 1/2 */
static double versine_ratio(double x)
{
    return (1 - cos(x)) / (x*x);
}

int main(int argc, char **argv)
{
    double x = atof(argv[1]);
    printf("%.12g\n", versine_ratio(x));
    return argc < 2;
}
