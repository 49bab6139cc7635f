// lostbits: flags=-std=c++20
// Lambdas with FP captures, std::function, std::bind, generic and recursive lambdas, constexpr,
// variadic templates, optional and variant, structured bindings.
#include <cmath>
#include <cstdio>
#include <functional>
#include <optional>
#include <tuple>
#include <variant>
#include <vector>

constexpr double series(int n) { return n == 0 ? 1.0 : 1.0 + series(n - 1) / n; }

template <typename... T> double weighted(T... terms) {
    double weight = 1, sum = 0;
    ((sum += weight * terms, weight /= 3), ...);
    return sum;
}

template <typename F> auto derivative(F f, double h) {
    return [=](double x) { return (f(x + h) - f(x - h)) / (2 * h); };
}

static std::optional<double> safe_root(double x) {
    if (x < 0) return std::nullopt;
    return std::sqrt(x);
}

static std::tuple<double, float, int> split(double x) {
    int whole = static_cast<int>(x);
    return {x - whole, static_cast<float>(x), whole};
}

int main() {
    volatile double seed = 0.9;
    std::vector<std::function<double(double)>> steps;
    for (int i = 1; i < 6; i++) steps.push_back([i, scale = seed / i](double x) { return x * scale + i; });
    steps.push_back(derivative([](double x) { return std::exp(-x) * x; }, 1e-3));
    steps.push_back(std::bind([](double a, double b) { return a / b; }, std::placeholders::_1, seed + 2));
    steps.push_back(static_cast<double (*)(double)>(std::tanh));
    double total = 0;
    auto accumulate = [&total](auto x) mutable { return total += x * 0.5; };
    double x = seed;
    for (int round = 0; round < 3; round++)
        for (auto &step : steps) {
            x = step(x);
            accumulate(x);
            accumulate(static_cast<float>(x));
            std::printf("%a %a\n", x, total);
        }
    std::function<double(int)> fibonacci = [&](int n) { return n < 2 ? seed + n : fibonacci(n - 1) * 0.9 + fibonacci(n - 2); };
    std::printf("%a %a %a\n", fibonacci(15), series(15) * x, weighted(x, 0.1f, 3, total, 2.5L));
    for (double y : {-1.5, 2.0, x}) {
        auto [rest, narrow, whole] = split(safe_root(y).value_or(y / 3));
        std::printf("%a %a %d\n", rest, narrow, whole);
    }
    std::vector<std::variant<int, float, double>> mixed{1, 0.5f, x, static_cast<float>(total), total};
    for (auto &item : mixed) std::printf("%a\n", std::visit([](auto v) -> double { return v * 1.1 + sizeof v; }, item));
}
