// args: 50 1e5
// Radius of a circle through points on a short arc far from the origin (Kasa's fit).
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <vector>
int main(int argc, char **argv) {
    int n = std::atoi(argv[1]);
    double far = std::atof(argv[2]);
    double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0, sxz = 0, syz = 0, sz = 0;
    for (int i = 0; i < n; i++) {
        double t = 0.02 * i, x = far + 3 * std::cos(t), y = far + 3 * std::sin(t);
        double z = x * x + y * y;
        sx += x; sy += y; sz += z;
        sxx += x * x; syy += y * y; sxy += x * y;
        sxz += x * z; syz += y * z;
    }
    double a = n * sxx - sx * sx, b = n * sxy - sx * sy, c = n * syy - sy * sy;
    double d = 0.5 * (n * sxz - sx * sz), e = 0.5 * (n * syz - sy * sz);
    double det = a * c - b * b;
    double x0 = (d * c - b * e) / det, y0 = (a * e - b * d) / det;
    double r = std::sqrt((sz - 2 * x0 * sx - 2 * y0 * sy) / n + x0 * x0 + y0 * y0);
    std::cout << std::setprecision(9) << "centre " << x0 << " " << y0 << " radius " << r << "\n";
    return 0;
}
