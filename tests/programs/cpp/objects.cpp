// lostbits: flags=-std=c++20
// Life cycle of objects with FP members: copy, move, static and inline variables, placement new, bit
// casts, unions with constructors, operators, inheritance by value, small-object returns.
#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>
#include <cstdio>
#include <new>
#include <string>
#include <utility>

struct Counted {
    static inline double alive = 0.5;
    double share;
    explicit Counted(double share) : share(share) { alive += share; }
    Counted(const Counted &other) : share(other.share / 2) { alive += share; }
    Counted(Counted &&other) noexcept : share(std::exchange(other.share, 0.0)) {}
    Counted &operator=(Counted other) {
        std::swap(share, other.share);
        return *this;
    }
    ~Counted() { alive -= share * 0.9; }
};

struct Interval {
    double low, high;
    Interval operator-() const { return {-high, -low}; }
    Interval &operator+=(const Interval &o) {
        low += o.low;
        high += o.high;
        return *this;
    }
    auto operator<=>(const Interval &) const = default;
};
static Interval operator*(Interval a, Interval b) {
    double p[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    return {std::fmin(std::fmin(p[0], p[1]), std::fmin(p[2], p[3])), std::fmax(std::fmax(p[0], p[1]), std::fmax(p[2], p[3]))};
}

struct Base { float heat = 0.3f; };
struct Derived : Base { double cold; short tag; };

union Slot {
    double number;
    std::string text;
    Slot() : number(0.7) {}
    ~Slot() {}
};

static const double initialised_at_start = std::sqrt(Counted::alive) + 1;

static Counted pass(Counted c) { return Counted(c.share * 1.5); }

int main() {
    volatile double seed = 2.2;
    Counted a(seed), b(a), c(std::move(a));
    Interval i{-0.1, 0.2}, j{seed, seed + 1};
    Derived d{{0.25f}, seed, 3};
    for (int k = 0; k < 8; k++) {
        c = pass(b);
        b = Counted(c);
        i += -i * Interval{0.3, 0.5} * j;
        Derived copy = d;
        copy.cold *= copy.heat;
        d = copy;
        d.heat += static_cast<float>(d.cold);
        std::printf("%a %a %a | %a %a %d | %a %a\n", a.share, b.share, Counted::alive, i.low, i.high, i < j, d.heat, d.cold);
    }
    Slot slot;
    slot.number *= seed;
    std::printf("%a\n", slot.number);
    new (&slot.text) std::string("text over a double");
    std::printf("%s\n", slot.text.c_str());
    slot.text.~basic_string();
    new (&slot.number) double(seed / 3);
    std::printf("%a %a\n", slot.number + 1, initialised_at_start);
    auto bits = std::bit_cast<std::uint64_t>(seed * 1.0);
    std::printf("%016llx %a\n", static_cast<unsigned long long>(bits), std::bit_cast<double>(bits + 5) - 2);
    alignas(double) unsigned char raw[64];
    double *placed = new (raw) double[8];
    for (int k = 0; k < 8; k++) placed[k] = std::cbrt(k + seed);
    for (int k = 7; k > 0; k--) placed[k] -= placed[k - 1] / 2;
    for (int k = 0; k < 8; k++) std::printf("%a\n", placed[k]);
}
