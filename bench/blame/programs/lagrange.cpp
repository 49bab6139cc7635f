// args: 24 0.987
// Interpolation on equidistant nodes through a Vandermonde-like sum of monomials.
#include <cmath>
#include <iomanip>
#include <iostream>
#include <cstdlib>
#include <vector>

int main(int argc, char **argv)
{
    int n = std::atoi(argv[1]);
    double x = std::atof(argv[2]);
    std::vector<double> node(n), value(n);
    for (int i = 0; i < n; i++) {
        node[i] = -1 + 2.0 * i / (n - 1);
        value[i] = 1 / (1 + 25 * node[i] * node[i]);
    }
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double basis = 1;
        for (int j = 0; j < n; j++)
            if (j != i)
                basis *= (x - node[j]) / (node[i] - node[j]);
        sum += value[i] * basis;
    }
    std::vector<double> c(value);
    for (int k = 1; k < n; k++)
        for (int i = n - 1; i >= k; i--)
            c[i] = (c[i] - c[i - 1]) / (node[i] - node[i - k]);
    double newton = c[n - 1];
    for (int i = n - 2; i >= 0; i--)
        newton = newton * (x - node[i]) + c[i];
    std::cout << std::setprecision(14) << sum << "\n" << newton << "\n";
    return argc > 99;
}
