// args: 2.5
// Newton's method on an expanded cubic with a triple root at 1.
#include <cmath>
#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv)
{
    double x = std::atof(argv[1]);
    for (int i = 0; i < 30; i++) {
        double value = ((x - 3) * x + 3) * x - 1;
        double slope = (3 * x - 6) * x + 3;
        x -= value / slope;
    }
    std::printf("%.15g\n", x);
    return argc > 99;
}
