// lostbits: flags=-std=c++20
// lostbits: fresh=0
// A generator coroutine: FP locals live in a heap frame across suspensions.
#include <cmath>
#include <coroutine>
#include <cstdio>
#include <exception>
#include <utility>

struct Generator {
    struct promise_type {
        double current = 0;
        std::exception_ptr problem;
        Generator get_return_object() { return Generator(std::coroutine_handle<promise_type>::from_promise(*this)); }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(double value) {
            current = value;
            return {};
        }
        void return_void() {}
        void unhandled_exception() { problem = std::current_exception(); }
    };
    std::coroutine_handle<promise_type> handle;
    explicit Generator(std::coroutine_handle<promise_type> handle) : handle(handle) {}
    Generator(Generator &&other) : handle(std::exchange(other.handle, nullptr)) {}
    ~Generator() {
        if (handle) handle.destroy();
    }
    bool next() {
        handle.resume();
        if (handle.promise().problem) std::rethrow_exception(handle.promise().problem);
        return !handle.done();
    }
    double value() const { return handle.promise().current; }
};

static Generator newton(double target, float damping) {
    double x = target;
    for (int i = 0; i < 12; i++) {
        x -= damping * (x * x - target) / (2 * x);
        co_yield x;
    }
}

static Generator running_mean(Generator source) {
    double sum = 0;
    int n = 0;
    while (source.next()) {
        sum += source.value();
        co_yield sum / ++n;
    }
    throw sum * 1.5;
}

int main() {
    volatile double seed = 5.5;
    auto first = newton(seed, 0.9f), second = newton(seed * 2, 0.7f);
    while (first.next() && second.next()) std::printf("%a %a\n", first.value(), second.value() * 3);
    auto mean = running_mean(newton(seed, 0.5f));
    try {
        while (mean.next()) std::printf("%a\n", mean.value());
    } catch (double x) {
        std::printf("ended by %a\n", x);
    }
}
