// What `--all` finds in C++: methods, overloads, instances of templates.
#include <cmath>

namespace shapes {

struct Plain {
    double offset;
    double at(double x) const;
};
double Plain::at(double x) const { return (1 - std::cos(x)) / (x * x) + offset; }

class Made {
    double scale;

public:
    Made();
    double at(double x) const;
};
Made::Made() : scale(2) {}
// Without the constructor the result would not be finite.
double Made::at(double x) const { return x / scale; }

class Unmade {
    double scale;

public:
    explicit Unmade(double scale);
    double at(double x) const;
};
Unmade::Unmade(double scale) : scale(scale) {}
double Unmade::at(double x) const { return scale * x; }

} // namespace shapes

template <class T> T gap(T x) { return (x + 1) - x; }
template double gap(double);
template float gap(float);

double twice(double x) { return 2 * x; }
float twice(float x) { return 2 * x; }
