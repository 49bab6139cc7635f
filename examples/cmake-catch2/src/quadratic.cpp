#include "quadratic.hpp"

#include <cmath>

double larger_root(double a, double b, double c)
{
    double discriminant = b * b - 4 * a * c;
    return (-b + std::sqrt(discriminant)) / (2 * a);
}
