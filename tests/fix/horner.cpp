#include <cstdio>
#include <cstdlib>

// (x - 1)^3 multiplied out, near its triple root
int main(int argc, char **argv)
{
    double x = std::atof(argv[1]);
    double p = ((x - 3) * x + 3) * x - 1;
    std::printf("%.10g\n", p);
    return argc < 2;
}
