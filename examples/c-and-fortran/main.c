#include <stdio.h>
#include <stdlib.h>

double determinant(double a, double b, double c, double d);

int main(int argc, char **argv)
{
    double e = argc > 1 ? atof(argv[1]) : 0.1;
    double a = 1 / e, b = a * 3;
    printf("%.10g\n", determinant(a, b, b, 9 * a + e / 1e6));
    return 0;
}
