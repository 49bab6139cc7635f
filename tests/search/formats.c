/* Formulas that mean the same in exact arithmetic, and code that is written for its precision. */
#include <math.h>
#include <stdint.h>
#include <string.h>

double root(double a, double b, double c) { return (-b + sqrt(b * b - 4 * a * c)) / (2 * a); }

double versine(double x) { return (1 - cos(x)) / (x * x); }

/* The rest of x after rounding to a whole number: zero in exact arithmetic. */
double rest(double x)
{
    double whole = (x + 0x1.8p52) - 0x1.8p52;
    return x - whole;
}

/* The low bits of a product, by a union and by memcpy: whoever asks for them wants those of the double. */
double low_part(double x)
{
    double product = x * 1.1;
    union { double number; uint64_t bits; } u = {product};
    u.bits &= ~(uint64_t)0x7ffffff;
    return product - u.number;
}

double low_bits(double x)
{
    double product = x * 1.1, high;
    uint64_t bits;
    memcpy(&bits, &product, sizeof bits);
    bits &= ~(uint64_t)0x7ffffff;
    memcpy(&high, &bits, sizeof high);
    return product - high;
}

/* exp(x) - 1 by Kahan: right to the last digits, although it cancels. */
double kahan(double x)
{
    double u = exp(x);
    if (u == 1.0)
        return x;
    if (u - 1.0 == -1.0)
        return -1.0;
    return (u - 1.0) * x / log(u);
}

/* Cancels, and rounds to whole numbers on the way. */
double fraction(double x)
{
    double n = floor(x * 1.1);
    return (x - n) - x + n + (x * 1.1 - n) * 1e-20;
}
