#include <stdarg.h>
#include <string.h>

double bottom(double a, float b, double c);
double variadic_bottom(int n, ...);
double from_top(double a, double b, float c);

double middle(double x, float y, const double *v, int n) {
    double sum = x;
    for (int i = 0; i < n; i++) sum += bottom(v[i], y, sum) * 0.1 + from_top(sum, v[n - 1 - i], y);
    return sum / n;
}

void overwrite(double *v, int n) {
    for (int i = 0; i < n - 1; i++) v[i] = v[i + 1] * 1.5;
    memmove(v + 1, v, sizeof *v * (n - 1));
}

double variadic_middle(int n, ...) {
    va_list list;
    va_start(list, n);
    double a = va_arg(list, double), b = va_arg(list, double), c = va_arg(list, double);
    va_end(list);
    return variadic_bottom(n + 1, c, a * 0.25, b, a - b);
}
