// A number in a std::variant that functions pass by value.
#include <cstdio>
#include <string>
#include <variant>

#define APART __attribute__((noinline))

using either = std::variant<int, double>;

APART either of_number(double x) { return (x + 1e12) - 1e12; } // CAUSE
APART double number_of(either it) { return std::holds_alternative<double>(it) ? std::get<double>(it) : 0; }

int main(int, char **argv) {
    double x = std::stod(argv[1]);
    try {
        std::printf("%.17g\n", number_of(of_number(x))); // REACHED
    } catch (const std::bad_variant_access &) {
    }
}
