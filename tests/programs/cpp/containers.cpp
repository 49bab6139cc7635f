// lostbits: flags=-std=c++20 -Wno-deprecated-declarations
// lostbits: fresh=0
// Standard containers and algorithms over FP values: growth, moves, sorting, heaps, maps keyed by
// doubles, erase-remove, partitions.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <map>
#include <numeric>
#include <queue>
#include <vector>

struct Particle {
    double mass;
    float charge;
    std::vector<double> history;
};

int main() {
    volatile double seed = 0.61803;
    std::vector<double> values;
    for (int i = 0; i < 150; i++) values.push_back(std::fmod(i * seed, 1.0) - 0.3 * (i % 3));
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    std::stable_sort(values.begin(), values.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); });
    for (size_t i = 0; i < sorted.size(); i += 17) std::printf("%a %a\n", sorted[i], values[i]);
    std::printf("%a %a\n", std::accumulate(values.begin(), values.end(), 0.0), std::inner_product(values.begin(), values.end(), sorted.begin(), 1.0));
    std::nth_element(values.begin(), values.begin() + 75, values.end());
    std::printf("median %a\n", values[75]);
    values.erase(std::remove_if(values.begin(), values.end(), [](double x) { return x * x < 0.01; }), values.end());
    std::rotate(sorted.begin(), sorted.begin() + 40, sorted.end());
    std::partial_sum(sorted.begin(), sorted.end(), sorted.begin());
    std::printf("%zu %a %a\n", values.size(), *std::max_element(values.begin(), values.end()), sorted[99]);

    std::map<double, float> table;
    for (int i = 0; i < 60; i++) table[std::floor(values[i % values.size()] * 20) / 20] += static_cast<float>(i) * 0.1f;
    for (auto &[key, value] : table) std::printf("%.17g %a\n", key, value);

    std::priority_queue<double> heap;
    std::deque<float> window;
    for (double x : sorted) {
        heap.push(x * 1.1);
        window.push_front(static_cast<float>(x));
        if (window.size() > 9) window.pop_back();
    }
    for (int i = 0; i < 10; i++, heap.pop()) std::printf("%a\n", heap.top() / 3);
    std::printf("%a\n", std::accumulate(window.begin(), window.end(), 0.5f));

    std::vector<Particle> particles;
    for (int i = 0; i < 20; i++) {
        particles.push_back({1.5 * i + seed, 0.1f * i, {seed * i}});
        particles[i / 2].history.insert(particles[i / 2].history.begin(), particles[i].mass / 7);
    }
    std::sort(particles.begin(), particles.end(), [](const Particle &a, const Particle &b) { return std::sin(a.mass) < std::sin(b.mass); });
    for (auto &p : particles) std::printf("%a %a %a\n", p.mass, p.charge, std::reduce(p.history.begin(), p.history.end()) * 2);
}
