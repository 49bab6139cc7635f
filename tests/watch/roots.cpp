// How many real roots a quadratic has depends on the sign of its discriminant.
#include <cstdlib>
#include <iostream>
#include <vector>

template <typename Real> struct Quadratic {
    Real a, b, c;
    // The square of the distance between the roots.
    Real apart() const {
        Real square = b * b, product = 4 * a * c;
        Real discriminant = square - product; // ORIGIN
        return discriminant / (a * a);
    }
};

template <typename Real> static std::size_t roots(const Quadratic<Real> &quadratic) {
    Real apart = quadratic.apart();
    if (apart > 0) // UNSTABLE
        return 2;
    return 1;
}

int main(int argc, char **argv) {
    std::vector<double> of;
    for (int i = 1; i < 4; i++)
        of.push_back(std::strtod(argv[i], nullptr));
    std::cout << roots(Quadratic<double>{of[0], of[1], of[2]}) << "\n";
}
