// Differences of constants, through a structure and functions.
#include <cmath>
#include <iostream>

struct Point {
    double x, y;
};

static Point between(Point a, Point b) {
    return {a.x - b.x, a.y - b.y}; // CAUSE
}

int main() {
    Point a{1e15 + 0.3, 3}, b{1e15, 2};
    a.x = std::sqrt(a.x) * std::sqrt(a.x);
    std::cout << between(a, b).x << "\n"; // REACHED
    std::cout << 0.75 << "\n";            // WRITTEN
}
