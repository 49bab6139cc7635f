// args: 2.05 1.25
// An expanded polynomial near its root and away from it.
#include <cstdio>
#include <cstdlib>

static const double coefficients[] = {1, -18, 144, -672, 2016, -4032, 5376, -4608, 2304, -512};

static double horner(double x)
{
    double value = 0;
    for (double coefficient : coefficients) {
        double scaled = value * x;
        value = scaled + coefficient;
    }
    return value;
}

int main(int argc, char **argv)
{
    double near = std::atof(argv[1]);
    double away = std::atof(argv[2]);
    std::printf("near %.12g\n", horner(near));
    std::printf("away %.12g\n", horner(away));
    return argc > 99;
}
