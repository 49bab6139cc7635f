// args: 1e9 64
// A dot product whose large terms cancel.
#include <cmath>
#include <iomanip>
#include <iostream>
#include <numeric>
#include <cstdlib>
#include <vector>

int main(int argc, char **argv)
{
    double scale = std::atof(argv[1]);
    int n = std::atoi(argv[2]);
    std::vector<double> a(2 * n), b(2 * n);
    for (int i = 0; i < n; i++) {
        double wave = std::sin(i + 1);
        a[i] = scale * wave;
        b[i] = wave;
        a[n + i] = scale * wave;
        b[n + i] = 1e-9 - wave;
    }
    double product = std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    double length = std::sqrt(std::inner_product(b.begin(), b.end(), b.begin(), 0.0));
    std::cout << std::setprecision(15) << product << "\n" << length << "\n";
    return argc > 99;
}
