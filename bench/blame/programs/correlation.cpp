// args: 30000 500
// Pearson's correlation by sums of products.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Sums {
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;

    void add(double a, double b)
    {
        x += a;
        y += b;
        xx += a * a;
        yy += b * b;
        xy += a * b;
    }
};

int main(int argc, char **argv)
{
    double offset = std::atof(argv[1]);
    int n = std::atoi(argv[2]);
    Sums sums;
    for (int i = 0; i < n; i++) {
        double a = offset + std::sin(i);
        double b = offset / 3 + std::sin(i + 0.5);
        sums.add(a, b);
    }
    double covariance = n * sums.xy - sums.x * sums.y;
    double first = n * sums.xx - sums.x * sums.x;
    double second = n * sums.yy - sums.y * sums.y;
    double correlation = covariance / std::sqrt(first * second);
    std::printf("correlation %.15g\n", correlation);
    return argc > 99;
}
