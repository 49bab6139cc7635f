// The smaller root of x^2 - 2 b x + 1, computed with a cancellation; and the same for all numbers of a buffer.
#include <cmath>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

static double root(double b) {
    double wide = std::sqrt(b * b - 1);
    return b - wide; // PLANTED
}

static double scaled(double b) { return 3 * b; }

static void roots(pybind11::array_t<double> numbers) {
    double *at = numbers.mutable_data();
    for (pybind11::ssize_t i = 0; i < numbers.size(); i++) at[i] = root(at[i]);
}

static double total(pybind11::array_t<double> numbers) {
    const double *at = numbers.data();
    double sum = 0;
    for (pybind11::ssize_t i = 0; i < numbers.size(); i++) sum += at[i];
    return sum;
}

PYBIND11_MODULE(with_pybind11, module) {
    module.def("root", root);
    module.def("scaled", scaled);
    module.def("roots", roots);
    module.def("total", total);
}
