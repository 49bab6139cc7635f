// args: 300 60
// Ranks by power iteration: a clean program.
#include <cstdio>
#include <cstdlib>
#include <vector>
int main(int argc, char **argv) {
    int n = std::atoi(argv[1]), rounds = std::atoi(argv[2]);
    std::vector<double> rank(n, 1.0 / n), next(n);
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < n; i++) next[i] = 0.15 / n;
        for (int i = 0; i < n; i++)
            for (int k = 1; k <= 3; k++) next[(i * k * 7 + k) % n] += 0.85 * rank[i] / 3;
        rank = next;
    }
    for (int i = 0; i < 5; i++) std::printf("%.6f\n", rank[i]);
    return 0;
}
