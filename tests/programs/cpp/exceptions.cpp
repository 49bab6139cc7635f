// lostbits: fresh=1
// Exceptions thrown through frames with FP locals: destructors that compute, rethrow, values inside
// the exception object, catch by type, noexcept boundaries.
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

struct Overshoot : std::exception {
    double by;
    float where[2];
    explicit Overshoot(double by) : by(by), where{static_cast<float>(by) * 0.5f, 1.0f / 3} {}
    const char *what() const noexcept override { return "overshoot"; }
};

static double ledger = 0.125;

struct Guard {
    double amount;
    explicit Guard(double amount) : amount(amount) { ledger += amount; }
    ~Guard() { ledger = ledger * 0.99 - amount / 3; }
};

static double descend(int depth, double x) {
    Guard guard(x * 0.1);
    double local = std::sqrt(x) + depth;
    if (local > 9) throw Overshoot(local - 9);
    if (x < 0.2) throw x * 7;
    if (depth == 12) throw std::runtime_error(std::to_string(local));
    double below = descend(depth + 1, x * 0.9 + 0.05);
    return below + local;
}

static double attempt(double x) {
    double before = x * 1.5;
    try {
        return descend(0, x) + before;
    } catch (const Overshoot &problem) {
        return before - problem.by * problem.where[0] + problem.where[1];
    } catch (double value) {
        return value / before;
    }
}

static double outer(double x) {
    try {
        try {
            return attempt(x);
        } catch (std::runtime_error &problem) {
            ledger += std::stod(problem.what());
            throw;
        }
    } catch (const std::exception &problem) {
        return -x * std::string(problem.what()).size();
    }
}

int main() {
    volatile double seed = 0.05;
    for (int i = 0; i < 30; i++) {
        double result = outer(seed * i * i + 0.15);
        std::printf("%d %a %a\n", i, result, ledger);
    }
    try {
        throw 0.1f;
    } catch (float value) {
        std::printf("%a\n", value * 3);
    }
}
