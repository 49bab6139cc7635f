// args: 1 -1e8 1
// Both roots of a quadratic equation, by the textbook's formula and by a stable one.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    double a = atof(argv[1]);
    double b = atof(argv[2]);
    double c = atof(argv[3]);
    double discriminant = b * b - 4 * a * c;
    double root = sqrt(discriminant);
    double large = (-b + root) / (2 * a);
    double small = (-b - root) / (2 * a);
    double stable = c / (a * large);
    printf("large %.15g\n", large);
    printf("small %.15g\n", small);
    printf("stable %.15g\n", stable);
    return argc > 99;
}
