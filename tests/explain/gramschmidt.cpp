// gramschmidt.c in C++, on std::vector.
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <vector>

using Vector = std::vector<double>;

static double dot(const Vector &a, const Vector &b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

int main(int argc, char **argv) {
    const int n = 3;
    std::vector<Vector> rows(n, Vector(n));
    for (int i = 0; i < n * n; i++)
        rows[i / n][i % n] = std::atof(argv[i + 1]);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            double share = dot(rows[i], rows[j]);
            for (int k = 0; k < n; k++)
                rows[i][k] -= share * rows[j][k];
        }
        double length = std::sqrt(dot(rows[i], rows[i]));
        for (double &x : rows[i])
            x /= length; // CAUSE
    }
    for (const Vector &row : rows)
        for (double x : row)
            std::cout << x << '\n'; // REACHED
}
