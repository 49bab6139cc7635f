// plotter.c in C++: the plotter's complex numbers are a template of its own.
#include <cmath>
#include <cstdlib>
#include <iostream>

template <class Real> struct Complex {
    Real re, im;
    Complex operator-(const Complex &other) const {
        return {re - other.re, im - other.im}; // CAUSE
    }
};

template <class Real> [[gnu::noinline]] Complex<Real> square_root(const Complex<Real> &z) {
    Real length = std::sqrt(z.re * z.re + z.im * z.im);
    Real rest = length - z.re; // CAUSE
    return {std::sqrt(length + z.re) / std::sqrt(Real(2)), std::sqrt(rest) / std::sqrt(Real(2))};
}

static double colour(double x, double y) {
    double size = std::exp(-20 * x), angle = -20 * y;
    Complex<double> shifted{x - size * std::sin(angle), size * std::cos(angle)};
    auto d = square_root(Complex<double>{x, 0}) - square_root(shifted);
    return std::atan2(-d.im, d.re);
}

int main(int, char **argv) {
    int pixels = std::atoi(argv[1]);
    double right = std::atof(argv[2]);
    for (int row = 0; row < pixels; row++)
        for (int column = 1; column <= pixels; column++)
            std::cout << colour(right * column / pixels, 6.0 * row / pixels - 3) << '\n'; // REACHED
}
