// args: 100 100.0001 1e-4
// A digital option from two calls, and its gamma by second differences.
#include <cmath>
#include <cstdio>
#include <cstdlib>

static double normal(double x)
{
    return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

static double call(double spot, double strike, double sigma, double years)
{
    double root = sigma * std::sqrt(years);
    double d1 = (std::log(spot / strike) + 0.5 * sigma * sigma * years) / root;
    return spot * normal(d1) - strike * normal(d1 - root);
}

int main(int argc, char **argv)
{
    double spot = std::atof(argv[1]), strike = std::atof(argv[2]), h = std::atof(argv[3]);
    double centre = call(spot, strike, 0.2, 0.5);
    double up = call(spot + h, strike, 0.2, 0.5);
    double down = call(spot - h, strike, 0.2, 0.5);
    double gamma = (up - 2 * centre + down) / (h * h);
    std::printf("price %.12g\ngamma %.12g\n", centre, gamma);
    return argc > 99;
}
