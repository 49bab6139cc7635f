// Sums of complex numbers are functions of the standard library.
#include <complex>
#include <cstdlib>
#include <iostream>

int main(int argc, char **argv) {
    double x = std::atof(argv[argc - 1]);
    std::complex<double> one(1, 0), z(x, x);
    std::complex<double> sum = one + z;
    std::cout << sum - one << '\n'; // CAUSE REACHED
}
