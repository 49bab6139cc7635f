// args: 7
// The inverse of a Hilbert matrix by Gauss and Jordan's method.
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char **argv)
{
    int n = std::atoi(argv[1]);
    std::vector<std::vector<double>> a(n, std::vector<double>(2 * n));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a[i][j] = 1.0 / (i + j + 1);
        a[i][n + i] = 1;
    }
    for (int k = 0; k < n; k++) {
        double pivot = a[k][k];
        for (int j = 0; j < 2 * n; j++)
            a[k][j] /= pivot;
        for (int i = 0; i < n; i++) {
            if (i == k)
                continue;
            double factor = a[i][k];
            for (int j = 0; j < 2 * n; j++)
                a[i][j] -= factor * a[k][j];
        }
    }
    double trace = 0;
    for (int i = 0; i < n; i++)
        trace += a[i][n + i];
    std::printf("first %.14g\n", a[0][n]);
    std::printf("last %.14g\n", a[n - 1][2 * n - 1]);
    std::printf("trace %.14g\n", trace);
    return argc > 99;
}
