// args: 18
// The exponential integral by its alternating series.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static double alternating(double x)
{
    double term = 1;
    double sum = 0;
    for (int k = 1; k < 120; k++) {
        term *= -x / k;
        sum -= term / k;
    }
    return sum;
}

int main(int argc, char **argv)
{
    const double euler = 0.57721566490153286;
    double x = std::atof(argv[1]);
    std::vector<double> parts{-euler, -std::log(x), alternating(x)};
    double integral = 0;
    for (double part : parts)
        integral += part;
    std::printf("E1 %.12e\n", integral);
    std::printf("scaled %.10f\n", integral * std::exp(x) * x);
    return argc > 99;
}
