#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* the area of a triangle by Heron's formula */
static double area(double a, double b, double c)
{
    double s = (a + b + c) / 2;
    return sqrt(s * (s - a) * (s - b) * (s - c));
}

int main(int argc, char **argv)
{
    printf("%.12g\n", area(atof(argv[1]), atof(argv[2]), atof(argv[3])));
    return argc < 4;
}
