/* How far the surface of the Earth drops below a level line, over distances in metres.
 *
 * The formula is right, and the result is wrong: for a short distance the cosine is so close to 1 that hardly any
 * digit of their difference remains.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double radius = 6371000;

static double drop(double distance) {
    double angle = distance / radius;
    return radius * (1 - cos(angle));
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        double distance = atof(argv[i]);
        printf("over %g m the ground drops %g m\n", distance, drop(distance));
    }
    return 0;
}
