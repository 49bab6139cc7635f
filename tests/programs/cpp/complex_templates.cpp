// std::complex and expression templates in three precisions; dual numbers; fixed-size matrices.
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>

template <typename T> struct Dual {
    T value, slope;
    friend Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
    friend Dual operator*(Dual a, Dual b) { return {a.value * b.value, a.value * b.slope + a.slope * b.value}; }
    friend Dual operator/(Dual a, Dual b) { return {a.value / b.value, (a.slope * b.value - a.value * b.slope) / (b.value * b.value)}; }
    friend Dual sin(Dual a) { return {std::sin(a.value), a.slope * std::cos(a.value)}; }
};

template <typename T, int N> struct Matrix {
    std::array<std::array<T, N>, N> cells{};
    Matrix operator*(const Matrix &other) const {
        Matrix out;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                for (int k = 0; k < N; k++) out.cells[i][j] = out.cells[i][j] + cells[i][k] * other.cells[k][j];
        return out;
    }
};

template <typename T> T formula(T x) { return sin(x * x) / (x + T{1}) + x; }

template <typename T> void series(T seed) {
    using C = std::complex<T>;
    C z(seed, T(1) / 3), sum = 0;
    for (int i = 1; i < 12; i++) {
        sum += std::pow(z, i) / C(i);
        z = std::exp(z * T(0.1)) - std::conj(z) / T(i);
        std::printf("%La %La %La\n", (long double)sum.real(), (long double)sum.imag(), (long double)std::abs(z));
    }
    C r = std::sqrt(sum) + std::log(sum) * std::polar(T(0.5), seed);
    std::printf("%La %La %d\n", (long double)r.real(), (long double)std::norm(r), r == sum);
}

int main() {
    volatile double seed = 0.35;
    series<float>(static_cast<float>(seed));
    series<double>(seed);
    series<long double>(seed);
    Dual<double> d{seed, 1};
    Dual<float> f{static_cast<float>(seed), 1};
    for (int i = 0; i < 6; i++) {
        d = formula(d);
        f = formula(f);
        std::printf("%a %a %a %a\n", d.value, d.slope, f.value, f.slope);
    }
    Matrix<double, 3> m;
    Matrix<std::complex<float>, 2> c;
    Matrix<Dual<double>, 2> u;
    for (int i = 0; i < 9; i++) m.cells[i / 3][i % 3] = std::cos(i * seed);
    for (int i = 0; i < 4; i++) c.cells[i / 2][i % 2] = {static_cast<float>(i * seed), 0.5f}, u.cells[i / 2][i % 2] = {i * seed, 1.0};
    m = m * m * m;
    c = c * c;
    u = u * u;
    for (int i = 0; i < 9; i++) std::printf("%a\n", m.cells[i / 3][i % 3]);
    for (int i = 0; i < 4; i++) std::printf("%a %a %a\n", c.cells[i / 2][i % 2].real(), c.cells[i / 2][i % 2].imag(), u.cells[i / 2][i % 2].slope);
}
