// A comparison that throws leaves the sort; numbers that were lent to it keep their errors.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <vector>

static int comparisons = 0, most = 0;

static int ascending(const void *a, const void *b) {
    if (++comparisons > most)
        throw std::runtime_error("enough");
    double x = *static_cast<const double *>(a), y = *static_cast<const double *>(b);
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    double x = std::atof(argv[1]);
    std::vector<double> list{5, 4, 3, (1 + x) - 1, 2, 1}; // CAUSE
    for (most = 3; most < 1000; most += 997) {
        try {
            std::qsort(list.data(), list.size(), sizeof(double), ascending);
        } catch (const std::exception &) {
        }
    }
    most = 1000;
    std::qsort(list.data(), list.size(), sizeof(double), ascending);
    std::printf("%.17g\n", list[0]); // REACHED
    std::sort(list.begin(), list.end(), std::greater<double>());
    std::printf("%.17g\n", list[5]); // REACHED
}
