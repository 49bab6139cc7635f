// args: 12 1e-10
// Softmax, its loss, and the gap between two nearly equal classes.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

int main(int argc, char **argv)
{
    int n = std::atoi(argv[1]);
    double gap = std::atof(argv[2]);
    std::vector<double> scores(n), weights(n);
    for (int i = 0; i < n; i++)
        scores[i] = 3 + i / 4.0;
    scores[n - 2] = scores[n - 1] + gap;
    for (int i = 0; i < n; i++)
        weights[i] = std::exp(scores[i]);
    double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    double first = weights[n - 1] / total;
    double second = weights[n - 2] / total;
    double loss = -std::log(first);
    double margin = second - first;
    std::printf("loss %.15g\n", loss);
    std::printf("margin %.15g\n", margin);
    return argc > 99;
}
