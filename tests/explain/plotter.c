/* Colours pixels by arg f(x + iy), f(z) = 1 / (sqrt(Re z) - sqrt(Re z + i exp(-20 z))). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { double re, im; } Complex;

__attribute__((noinline)) static Complex square_root(Complex z) {
    double length = sqrt(z.re * z.re + z.im * z.im);
    Complex root = {sqrt(length + z.re), 0};
    double rest = length - z.re; /* CAUSE */
    root.im = sqrt(rest);
    root.re /= sqrt(2.0);
    root.im /= sqrt(2.0);
    return root;
}

static double colour(double x, double y) {
    double size = exp(-20 * x), angle = -20 * y;
    Complex shifted = {x - size * sin(angle), size * cos(angle)};
    Complex a = square_root((Complex){x, 0}), b = square_root(shifted);
    Complex d = {a.re - b.re, a.im - b.im}; /* CAUSE */
    return atan2(-d.im, d.re);
}

int main(int argc, char **argv) {
    int pixels = atoi(argv[1]);
    double right = atof(argv[2]);
    for (int row = 0; row < pixels; row++)
        for (int column = 1; column <= pixels; column++)
            printf("%.3f\n", colour(right * column / pixels, 6.0 * row / pixels - 3)); /* REACHED */
}
