#include <cmath>
#include <cstdlib>
#include <iostream>
#include <vector>

static double dot(const std::vector<double> &x, const std::vector<double> &y)
{
    double s = 0;
    for (std::size_t i = 0; i < x.size(); i++)
        s += x[i] * y[i];
    return s;
}

int main(int argc, char **argv)
{
    double large = std::atof(argv[1]);
    std::vector<double> x = { large, 1.5, 0.1, -large }, y = { large, 0.1, 3.25, large };
    std::cout.precision(12);
    std::cout << dot(x, y) << "\n";
    return argc < 2;
}
