// Formatting and parsing by iostreams: precision, hexfloat, string streams, user operators.
#include <cmath>
#include <iomanip>
#include <iostream>
#include <limits>
#include <sstream>

struct Point {
    double x, y;
};

static std::ostream &operator<<(std::ostream &out, const Point &p) { return out << '(' << p.x << ' ' << p.y << ')'; }
static std::istream &operator>>(std::istream &in, Point &p) {
    char bracket;
    return in >> bracket >> p.x >> p.y >> bracket;
}

int main() {
    volatile double seed = 1.0 / 7;
    double x = seed;
    for (int i = 0; i < 15; i++) {
        x = x * 1.9 + std::sin(x);
        std::cout << std::setprecision(17) << x << ' ' << std::fixed << x / 3 << ' ' << std::scientific << x * 1e-5 << ' ' << std::hexfloat << x
                  << std::defaultfloat << ' ' << static_cast<float>(x) << ' ' << static_cast<long double>(x) / 3 << '\n';
        std::stringstream stream;
        stream << std::setprecision(std::numeric_limits<double>::max_digits10) << Point{x, -x / 3};
        Point back;
        stream >> back;
        std::cout << back << ' ' << (back.x == x) << ' ' << std::setprecision(3) << back.y * 2 << '\n';
    }
    std::cerr << std::setprecision(17) << "on stderr " << x << '\n';
    std::cout << std::numeric_limits<double>::infinity() * x << ' ' << std::numeric_limits<float>::denorm_min() << '\n';
    std::istringstream words("1.5 2e3 nonsense");
    for (double v; words >> v;) std::cout << v * x << '\n';
    return words.eof() ? 1 : 0;
}
