// Which line of the program led to the header's.
#include "inlined.h"
#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv) {
    double x = std::atof(argv[argc - 1]);
    double first = rise(x);       // CALLER
    double second = slope(3 * x); // CALLER
    std::printf("%.17g\n", first);  // REACHED
    std::printf("%.17g\n", second); // REACHED
}
