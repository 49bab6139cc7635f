// lostbits: flags=-std=c++20 -pthread
// std::thread, std::async, futures, thread_local with a destructor, std::atomic<double>.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

static std::atomic<double> whole{0};
static std::atomic<float> narrow{0.5f};
static std::mutex guard;
static double ledger;

struct Tally {
    double sum = 0.25;
    ~Tally() {
        std::lock_guard<std::mutex> hold(guard);
        ledger += std::floor(sum);
    }
};

static thread_local Tally tally;

static double work(int me, double scale, float bias) {
    double local = bias;
    for (int i = 0; i < 300; i++) {
        local = std::sin(local * scale) + i / 100.0;
        tally.sum += local;
        whole.fetch_add(std::floor(local * 10));
    }
    narrow.store(narrow.load() + 0.0f);
    return local + me;
}

int main() {
    std::vector<std::thread> threads;
    std::vector<double> results(4);
    for (int t = 0; t < 4; t++) threads.emplace_back([&results, t] { results[t] = work(t, 0.5 + t * 0.1, 0.3f); });
    for (auto &thread : threads) thread.join();
    auto later = std::async(std::launch::async, work, 9, 0.77, 0.1f);
    std::promise<double> promise;
    std::thread teller([&promise] { promise.set_value(work(5, 0.9, 0.2f) / 3); });
    double told = promise.get_future().get();
    teller.join();
    auto failing = std::async(std::launch::async, [](double x) -> double { throw x * 1.5; }, told);
    try {
        failing.get();
    } catch (double x) {
        std::printf("thrown %a\n", x);
    }
    for (double r : results) std::printf("%a\n", r);
    std::printf("%a %a\n", later.get(), told);
    double expected = whole;
    bool swapped = whole.compare_exchange_strong(expected, expected / 7);
    std::printf("%a %a %d %a %a\n", expected, whole.load(), swapped, narrow.load(), whole.exchange(1.5));
    std::lock_guard<std::mutex> hold(guard);
    std::printf("%a\n", ledger);
}
