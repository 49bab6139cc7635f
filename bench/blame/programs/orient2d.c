// args: 0.1 1e-15
// On which side of a line points lie.
#include <stdio.h>
#include <stdlib.h>

static double orient(double ax, double ay, double bx, double by, double cx, double cy)
{
    double acx = ax - cx;
    double bcx = bx - cx;
    double acy = ay - cy;
    double bcy = by - cy;
    double left = acx * bcy;
    double right = acy * bcx;
    return left - right;
}

int main(int argc, char **argv)
{
    double step = atof(argv[1]);
    double shift = atof(argv[2]);
    double px = step * 3;
    double py = step * 3 + shift * 7;
    double qx = step * 12;
    double qy = step * 12 + shift;
    double rx = step * 24;
    double ry = step * 24;
    printf("near %.12g\n", orient(px, py, qx, qy, rx, ry));
    printf("far %.12g\n", orient(px, py, qx, qy, 17.5, 3.25));
    return argc > 99;
}
