// args: 1e-9 6
// A linear system by Gaussian elimination without pivoting, and with it.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

using Matrix = std::vector<std::vector<double>>;

static Matrix filled(int n, double tiny)
{
    Matrix a(n, std::vector<double>(n + 1));
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) {
            a[i][j] = ((i * 5 + j * 3) % 7 + (i == j ? 4 : 0)) / 8.0;
            if (i == 0 && j == 0)
                a[i][j] = tiny;
            sum += a[i][j] * (j + 1);
        }
        a[i][n] = sum;
    }
    return a;
}

static std::vector<double> solved(Matrix a, bool pivots)
{
    int n = a.size();
    for (int k = 0; k < n; k++) {
        if (pivots) {
            int best = k;
            for (int i = k + 1; i < n; i++)
                if (std::fabs(a[i][k]) > std::fabs(a[best][k]))
                    best = i;
            std::swap(a[k], a[best]);
        }
        for (int i = k + 1; i < n; i++) {
            double factor = a[i][k] / a[k][k];
            for (int j = k; j <= n; j++)
                a[i][j] -= factor * a[k][j];
        }
    }
    std::vector<double> x(n);
    for (int i = n - 1; i >= 0; i--) {
        double rest = a[i][n];
        for (int j = i + 1; j < n; j++)
            rest -= a[i][j] * x[j];
        x[i] = rest / a[i][i];
    }
    return x;
}

int main(int argc, char **argv)
{
    double tiny = std::atof(argv[1]);
    int n = std::atoi(argv[2]);
    Matrix a = filled(n, tiny);
    std::vector<double> plain = solved(a, false);
    std::vector<double> pivoted = solved(a, true);
    for (int i = 0; i < n; i++)
        std::printf("%.15g %.15g\n", plain[i], pivoted[i]);
    return argc > 99;
}
