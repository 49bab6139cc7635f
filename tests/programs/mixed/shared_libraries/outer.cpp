#include <stdexcept>
#include <vector>

extern "C" double inner(double x, double (*callback)(double, float));
extern "C" double inner_state;

static double bend(double x, float y) { return x * x - y + inner_state; }

struct Carrier : std::runtime_error {
    double value;
    explicit Carrier(double value) : std::runtime_error("carrier"), value(value) {}
};

static double risky(double x) {
    double deep = inner(x, bend);
    if (deep > 1.5) throw Carrier(deep * 0.5);
    return deep;
}

extern "C" double outer(const double *v, int n) {
    std::vector<double> copy(v, v + n);
    double sum = 0;
    for (double x : copy) {
        try {
            sum += risky(x);
        } catch (const Carrier &problem) {
            sum -= problem.value;
        }
    }
    return sum;
}
