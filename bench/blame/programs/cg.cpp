// args: 12 8
// Conjugate gradients on a badly conditioned matrix, a fixed number of steps.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

using Vector = std::vector<double>;

static double dot(const Vector &a, const Vector &b)
{
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

static Vector times(const std::vector<Vector> &a, const Vector &x)
{
    Vector y(x.size());
    for (size_t i = 0; i < x.size(); i++) {
        double sum = 0;
        for (size_t j = 0; j < x.size(); j++)
            sum += a[i][j] * x[j];
        y[i] = sum;
    }
    return y;
}

int main(int argc, char **argv)
{
    int n = std::atoi(argv[1]);
    int steps = std::atoi(argv[2]);
    std::vector<Vector> a(n, Vector(n));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = 1.0 / (i + j + 1);
    Vector x(n, 0.0), r(n, 1.0), p(n, 1.0);
    double rho = dot(r, r);
    for (int step = 0; step < steps; step++) {
        Vector q = times(a, p);
        double curvature = dot(p, q);
        double alpha = rho / curvature;
        for (int i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        double next = dot(r, r);
        double beta = next / rho;
        rho = next;
        for (int i = 0; i < n; i++)
            p[i] = r[i] + beta * p[i];
    }
    std::printf("x[0] %.12g\n", x[0]);
    std::printf("x[5] %.12g\n", x[5]);
    std::printf("norm %.12g\n", std::sqrt(dot(x, x)));
    return argc > 99;
}
