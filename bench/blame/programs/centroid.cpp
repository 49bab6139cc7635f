// args: 3e6 5e6
// Area and centroid of a small polygon far from the origin.
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <vector>

struct Point { double x, y; };

int main(int argc, char **argv)
{
    Point at{std::atof(argv[1]), std::atof(argv[2])};
    std::vector<Point> ring;
    for (int i = 0; i < 7; i++)
        ring.push_back({at.x + 0.3 * std::cos(i * 0.9), at.y + 0.2 * std::sin(i * 0.9)});
    double area = 0, x = 0, y = 0;
    for (std::size_t i = 0; i < ring.size(); i++) {
        const Point &p = ring[i], &q = ring[(i + 1) % ring.size()];
        double cross = p.x * q.y - q.x * p.y;
        area += cross;
        x += (p.x + q.x) * cross;
        y += (p.y + q.y) * cross;
    }
    area /= 2;
    std::cout << std::setprecision(10);
    std::cout << area << "\n" << x / (6 * area) << "\n" << y / (6 * area) << "\n";
    return argc > 99;
}
