// args: 48.858370 2.294481 48.858371 2.294483
// Distance by the spherical law of cosines.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
static double radians(double d) { return d * 3.14159265358979323846 / 180; }
int main(int argc, char **argv) {
    double a = radians(atof(argv[1])), b = radians(atof(argv[2]));
    double c = radians(atof(argv[3])), d = radians(atof(argv[4]));
    double cosine = sin(a) * sin(c) + cos(a) * cos(c) * cos(d - b);
    double angle = acos(cosine);
    printf("distance %.6f m\n", 6371000 * angle);
    return 0;
}
