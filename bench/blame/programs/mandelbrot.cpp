// args: -0.743643887037151 0.131825904205330 1000
// The orbit of a point near the boundary of the Mandelbrot set.
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>

int main(int argc, char **argv)
{
    double cx = std::atof(argv[1]);
    double cy = std::atof(argv[2]);
    int steps = std::atoi(argv[3]);
    double x = 0;
    double y = 0;
    double dx = 0;
    for (int i = 0; i < steps; i++) {
        double xx = x * x;
        double yy = y * y;
        if (xx + yy > 4)
            break;
        double xy = x * y;
        dx = 2 * (x * dx) + 1;
        x = xx - yy + cx;
        y = 2 * xy + cy;
    }
    double modulus = std::hypot(x, y);
    std::cout << std::setprecision(14) << x << " " << y << " " << modulus << "\n";
    return argc > 99;
}
