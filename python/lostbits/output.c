/* Numbers in a buffer of Python's are results. Compiled by lostbits for mode explain; see __init__.py. */
#include <lostbits.h>

void lostbits_python_output(const double *numbers, long count) {
    for (long i = 0; i < count; i++) lostbits_output(numbers[i]);
}

void lostbits_python_output_floats(const float *numbers, long count) {
    for (long i = 0; i < count; i++) lostbits_output(numbers[i]);
}
