// A narrow second-order filter (biquad) applied to a square wave.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    long samples = argc > 1 ? atol(argv[1]) : 500000000;
    double w = 0.01, r = 0.999;
    double a1 = -2 * r * cos(w), a2 = r * r, b0 = (1 - r) * (1 - r);
    double y1 = 0, y2 = 0, power = 0;
    for (long i = 0; i < samples; i++) {
        double x = i % 100 < 50 ? 1 : -1;
        double y = b0 * x - a1 * y1 - a2 * y2;
        y2 = y1;
        y1 = y;
        power += y * y;
    }
    printf("%.9g %.9g\n", y1, power);
}
