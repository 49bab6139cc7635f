// args: 200000 1e-4
// A rotating body: Euler's equations, energy drift reported relative to the start.
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
struct V { double x, y, z; };
static V rate(V w, double a, double b, double c) {
    return {(b - c) / a * w.y * w.z, (c - a) / b * w.z * w.x, (a - b) / c * w.x * w.y};
}
static double energy(V w, double a, double b, double c) {
    return 0.5 * (a * w.x * w.x + b * w.y * w.y + c * w.z * w.z);
}
int main(int argc, char **argv) {
    int steps = std::atoi(argv[1]);
    double h = std::atof(argv[2]), a = 1.1, b = 2.3, c = 3.7;
    V w{0.3, 1e-3, 2.1};
    double before = energy(w, a, b, c);
    for (int i = 0; i < steps; i++) {
        V k1 = rate(w, a, b, c);
        V m{w.x + h / 2 * k1.x, w.y + h / 2 * k1.y, w.z + h / 2 * k1.z};
        V k2 = rate(m, a, b, c);
        w.x += h * k2.x;
        w.y += h * k2.y;
        w.z += h * k2.z;
    }
    double after = energy(w, a, b, c);
    std::cout << std::setprecision(10) << w.x << " " << w.y << " " << w.z << "\n";
    std::cout << "drift " << (after - before) / before << "\n";
    return 0;
}
