#include <stdio.h>
#include <stdlib.h>
#include <math.h>

int main(int argc, char **argv)
{
    double a = atof(argv[1]), b = atof(argv[2]), c = atof(argv[3]);
    double d = b*b - 4*a*c;
    double r = (-b + sqrt(d)) / (2*a);
    printf("root %.12g\n", r);
    return argc < 4;
}
