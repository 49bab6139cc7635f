// Calls that may throw and go on in one block: what follows each call belongs to its own edge.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

__attribute__((noinline)) static double half(double x)
{
    if (x < 0)
        throw std::runtime_error("negative");
    return x / 2 + 0.1;
}

__attribute__((noinline)) static double third(double x)
{
    if (x < 0)
        throw std::runtime_error("below zero");
    return x / 3 - 0.1;
}

struct Counted {
    static int alive;
    Counted() { alive++; }
    ~Counted() { alive--; }
};
int Counted::alive = 0;

__attribute__((noinline)) static double either(int which, double x)
{
    Counted counted;
    double result;
    switch (which) {
    case 0: result = half(x); break;
    case 1: result = third(x); break;
    case 2: result = std::stod(std::to_string(x)); break;
    default: result = x;
    }
    return result * 1.5;
}

int main(int argc, char **)
{
    double sum = argc * 0.3;
    for (int i = 0; i < 12; i++) {
        try {
            sum += either(i % 4, sum - (i == 5 || i == 8 ? 100 : 0));
        } catch (const std::exception &error) {
            std::printf("%s\n", error.what());
        }
        std::printf("%d %a %d\n", i, sum, Counted::alive);
    }
}
