// lostbits: fresh=0
// Variadic functions: more doubles than registers, mixed with integers and long doubles, va_copy,
// lists handed on to another function, and the C library's own.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static double sum(int n, ...) {
    va_list list;
    va_start(list, n);
    double total = 0;
    for (int i = 0; i < n; i++) total += va_arg(list, double);
    va_end(list);
    return total;
}

static double mean_from(va_list list, int n) {
    double total = 0;
    for (int i = 0; i < n; i++) total += va_arg(list, double);
    return total / n;
}

/* Reads the list twice, by a copy. */
static double variance(int n, ...) {
    va_list list, again;
    va_start(list, n);
    va_copy(again, list);
    double mean = mean_from(list, n), squares = 0;
    for (int i = 0; i < n; i++) {
        double off = va_arg(again, double) - mean;
        squares += off * off;
    }
    va_end(again);
    va_end(list);
    return squares / n;
}

/* `format` has a letter for each argument: d double, i int, l long double, p pointer to double. */
static double mixed(const char *format, ...) {
    va_list list;
    va_start(list, format);
    long double total = 0;
    for (; *format; format++) {
        if (*format == 'd') total = total * 0.5L + va_arg(list, double);
        if (*format == 'i') total += va_arg(list, int) / 3.0;
        if (*format == 'l') total -= va_arg(list, long double);
        if (*format == 'p') total *= *va_arg(list, double *);
    }
    va_end(list);
    return (double)total;
}

static void show(const char *format, ...) {
    char text[256];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    printf("%d:%s\n", length, text);
}

int main(void) {
    volatile double seed = 0.1;
    double (*through_pointer)(int, ...) = sum;
    for (int round = 0; round < 6; round++) {
        double a = seed * (round + 1), b = sqrt(a), c = a / 7, d = exp(a);
        printf("%a\n", sum(4, a, b, c, d));
        printf("%a\n", sum(13, a, b, c, d, a * b, a * c, a * d, b * c, b * d, c * d, a - b, a - c, a - d));
        printf("%a\n", through_pointer(3, c, d, sum(2, a, d)));
        printf("%a\n", variance(11, a, b, c, d, -a, -b, -c, -d, a * a, (double)(float)b, 1 / d));
        printf("%a\n", mixed("dilpdidlddddddil", a, 3, 0.25L * a, &b, c, -4, d, (long double)b / 3, b, c, d, a, b, c, 9, 1.0L / 3));
        show("%.17g %d %a %La %s %g", a, round, b, (long double)c / 3, "text", (float)d);
    }
    return 0;
}
