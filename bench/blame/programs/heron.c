// args: 100000 99999.9999979 0.0000029
// The area of a needle-like triangle by Heron's formula and by Kahan's.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double heron(double a, double b, double c)
{
    double s = (a + b + c) / 2;
    double product = s * (s - a) * (s - b) * (s - c);
    return sqrt(product);
}

static double kahan(double a, double b, double c)
{
    double p = a + (b + c);
    double q = c - (a - b);
    double r = c + (a - b);
    double t = a + (b - c);
    return sqrt(p * q * r * t) / 4;
}

int main(int argc, char **argv)
{
    double a = atof(argv[1]);
    double b = atof(argv[2]);
    double c = atof(argv[3]);
    printf("heron %.15g\n", heron(a, b, c));
    printf("kahan %.15g\n", kahan(a, b, c));
    return argc > 99;
}
