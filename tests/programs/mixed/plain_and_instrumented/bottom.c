#include <math.h>
#include <stdarg.h>

double bottom(double a, float b, double c) { return sqrt(fabs(a * b)) - c / 7; }

double variadic_bottom(int n, ...) {
    va_list list;
    va_start(list, n);
    double sum = 0;
    while (n--) sum = sum * 0.3 + va_arg(list, double);
    va_end(list);
    return sum;
}
