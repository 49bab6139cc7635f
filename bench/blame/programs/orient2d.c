// args: 0.3 1.2 2.4 1.7
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
    double p = atof(argv[1]);
    double q = atof(argv[2]);
    double r = atof(argv[3]);
    double slope = atof(argv[4]);
    double py = slope * p;
    double qy = slope * q;
    double ry = slope * r;
    printf("near %.12g\n", orient(p, py, q, qy, r, ry + 1e-14));
    printf("far %.12g\n", orient(p, py, q, qy, 17.5, 3.25));
    return argc > 99;
}
