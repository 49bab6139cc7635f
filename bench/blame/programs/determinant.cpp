// args: 9
// Determinant of a Vandermonde matrix by elimination without pivots, and by its product.
#include <cstdio>
#include <cstdlib>
#include <vector>
int main(int argc, char **argv) {
    int n = std::atoi(argv[1]);
    std::vector<std::vector<double>> m(n, std::vector<double>(n));
    std::vector<double> x(n);
    for (int i = 0; i < n; i++) {
        x[i] = 1 + 0.01 * i;
        double p = 1;
        for (int j = 0; j < n; j++, p *= x[i]) m[i][j] = p;
    }
    double product = 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) product *= x[i] - x[j];
    double det = 1;
    for (int k = 0; k < n; k++) {
        det *= m[k][k];
        for (int i = k + 1; i < n; i++) {
            double f = m[i][k] / m[k][k];
            for (int j = k; j < n; j++) m[i][j] -= f * m[k][j];
        }
    }
    std::printf("product %.8e\nelimination %.8e\n", product, det);
    return 0;
}
