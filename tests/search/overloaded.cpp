// Names that the linker does not know as they are written.
#include <cmath>

namespace inner {
double versine(double x) { return (1.0 - std::cos(x)) / (x * x); } // guilty
}

double twice(double x) { return x + x; }
float twice(float x) { return x + x; }

static double hidden(double x) { return x - 1.0; }
double shows(double x) { return hidden(x) * 2.0; }
