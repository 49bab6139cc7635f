// baz.c in C++, with an object and a virtual function between the parts.
#include <cstdlib>
#include <iostream>
#include <memory>

struct Function {
    virtual double operator()(double x) const = 0;
    virtual ~Function() = default;
};

struct Pole : Function {
    double operator()(double x) const override { return 1 / (x - 113); }
};

static double baz(const Function &f, double x) {
    double z = f(x);
    return (z + 3.14159265358979323846) - z; // CAUSE
}

int main(int argc, char **argv) {
    std::unique_ptr<Function> f = std::make_unique<Pole>();
    for (int i = 1; i < argc; i++)
        std::cout << baz(*f, std::atof(argv[i])) << '\n'; // REACHED
}
