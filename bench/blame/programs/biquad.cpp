// args: 0.0002 20000
// A narrow second-order low-pass filter, and the energy of what it leaves of a wave.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Filter {
    double b, a1, a2, y1 = 0, y2 = 0;
    explicit Filter(double cut)
    {
        double radius = std::exp(-cut);
        a1 = 2 * radius * std::cos(cut);
        a2 = radius * radius;
        b = 1 - a1 + a2;
    }
    double step(double x)
    {
        double y = b * x + a1 * y1 - a2 * y2;
        y2 = y1;
        y1 = y;
        return y;
    }
};

int main(int argc, char **argv)
{
    Filter filter(std::atof(argv[1]));
    int n = std::atoi(argv[2]);
    double last = 0;
    for (int i = 0; i < n; i++)
        last = filter.step(std::sin(i * 0.01));
    std::printf("gain %.12g\n", filter.b);
    std::printf("last %.12g\n", last);
    return argc > 99;
}
