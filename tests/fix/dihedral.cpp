#include <cmath>
#include <cstdio>
#include <cstdlib>

// the energy of a dihedral angle near its minimum
static double torsion(double phi, double barrier)
{
    return barrier * (1 - std::cos(phi)) / 2;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 1;
    std::printf("%.12g\n", torsion(std::atof(argv[1]), std::atof(argv[2])));
    return 0;
}
