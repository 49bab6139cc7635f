// Variables of C++: a member, elements of containers, parts of complex numbers, a reference.
#include <complex>
#include <cstdlib>
#include <iostream>
#include <vector>

class Account {
    double balance = 0;

  public:
    explicit Account(double start) : balance(start) {}
    [[gnu::noinline]] double change(const double &amount) const {
        return (balance + amount) - balance; // CAUSE member
    }
};

[[gnu::noinline]] static double of_vector(const std::vector<double> &v, int i) {
    return (v[i] + v[i + 1]) - v[i]; // CAUSE vector
}

[[gnu::noinline]] static double of_complex(std::complex<double> z, double w) {
    return (z.real() + w) - z.real(); // CAUSE complex
}

// Pairs of a large number and a small one.
int main(int argc, char **argv) {
    for (int k = 1; k + 1 < argc; k += 2) {
        double large = std::atof(argv[k]), small = std::atof(argv[k + 1]);
        std::vector<double> list;
        for (int i = 0; i < 8; i++)
            list.push_back(i % 2 ? small : large);
        std::cout << Account(large).change(small) << '\n';
        std::cout << of_vector(list, k + 1) << '\n';
        std::cout << of_complex({large, small}, small) << '\n';
    }
}
