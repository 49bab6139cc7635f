// args: 1e-6 8
// Least squares by classical Gram-Schmidt with nearly dependent columns.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char **argv)
{
    double eps = std::atof(argv[1]);
    int m = std::atoi(argv[2]);
    const int n = 3;
    std::vector<std::vector<double>> a(n, std::vector<double>(m)), q = a;
    std::vector<double> b(m);
    for (int i = 0; i < m; i++) {
        a[0][i] = 1 + i / 10.0;
        a[1][i] = a[0][i] + eps * (i * i % 5);
        a[2][i] = a[0][i] - eps * (i * 3 % 7);
        b[i] = i % 3 + 1;
    }
    double r[n][n] = {};
    for (int k = 0; k < n; k++) {
        q[k] = a[k];
        for (int j = 0; j < k; j++) {
            double dot = 0;
            for (int i = 0; i < m; i++)
                dot += q[j][i] * a[k][i];
            r[j][k] = dot;
            for (int i = 0; i < m; i++)
                q[k][i] -= dot * q[j][i];
        }
        double square = 0;
        for (int i = 0; i < m; i++)
            square += q[k][i] * q[k][i];
        r[k][k] = std::sqrt(square);
        for (int i = 0; i < m; i++)
            q[k][i] /= r[k][k];
    }
    double x[n];
    for (int k = n - 1; k >= 0; k--) {
        double rest = 0;
        for (int i = 0; i < m; i++)
            rest += q[k][i] * b[i];
        for (int j = k + 1; j < n; j++)
            rest -= r[k][j] * x[j];
        x[k] = rest / r[k][k];
    }
    std::printf("%.15g %.15g %.15g\n", x[0], x[1], x[2]);
    return argc > 99;
}
