// args: 100000 3
// Entropy of nearly uniform counts, as a deviation from the maximum.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
int main(int argc, char **argv) {
    int total = std::atoi(argv[1]), seed = std::atoi(argv[2]);
    std::vector<double> bins(64, 1e6);
    unsigned s = seed;
    for (int i = 0; i < total; i++) {
        s = s * 1664525u + 1013904223u;
        bins[s >> 26] += 1;
    }
    double sum = 0;
    for (double b : bins) sum += b;
    double entropy = 0;
    for (double b : bins) {
        double p = b / sum;
        entropy -= p * std::log(p);
    }
    std::printf("entropy %.9f\n", entropy);
    std::printf("deficit %.9g\n", std::log(64.0) - entropy);
    return 0;
}
