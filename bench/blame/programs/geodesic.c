// args: 0.5 1e-5
// Area of a thin spherical triangle by its angular excess.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    double a = atof(argv[1]), c = atof(argv[2]), b = a;
    double A = acos((cos(a) - cos(b) * cos(c)) / (sin(b) * sin(c)));
    double B = acos((cos(b) - cos(a) * cos(c)) / (sin(a) * sin(c)));
    double C = acos((cos(c) - cos(a) * cos(b)) / (sin(a) * sin(b)));
    double excess = A + B + C - M_PI;
    printf("angles %.9f %.9f %.9e\n", A, B, C);
    printf("area %.9e\n", excess);
    return 0;
}
