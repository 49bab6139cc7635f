// Monte Carlo with the standard engines and distributions, seeded.
#include <cmath>
#include <cstdio>
#include <random>
#include <valarray>

int main() {
    std::mt19937_64 engine(20240229);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::normal_distribution<double> normal(0.5, 2);
    std::exponential_distribution<float> waiting(0.7f);
    std::gamma_distribution<double> gamma(2.5, 0.4);
    std::discrete_distribution<int> choice{0.2, 0.5, 0.3};
    int inside = 0;
    double mean = 0, squares = 0;
    float longest = 0;
    for (int i = 1; i <= 1500; i++) {
        double x = uniform(engine), y = uniform(engine);
        inside += x * x + y * y < 1;
        double z = normal(engine) * gamma(engine) + choice(engine), off = z - mean;
        mean += off / i;
        squares += off * (z - mean);
        longest = std::fmax(longest, waiting(engine));
        if (i % 150 == 0) std::printf("%.17g %a %a %a\n", 4.0 * inside / i, mean, std::sqrt(squares / i), longest);
    }
    std::valarray<double> path(80);
    for (auto &p : path) p = normal(engine);
    std::valarray<double> bent = std::sin(path) * 0.5 + std::valarray<double>(path[path > 0.0]).sum() / std::exp(std::abs(path));
    for (size_t i = 0; i < bent.size(); i += 9) std::printf("%a\n", bent[i]);
    std::printf("%a %a\n", bent.max(), bent.shift(3)[5]);
}
