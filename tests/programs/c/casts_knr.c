// lostbits: flags=-std=gnu89 -Wno-everything
// lostbits: fresh=0
/* K&R definitions with promoted arguments, calls without a prototype in scope, function pointers cast
   to a type without parameters and back. */
#include <math.h>
#include <stdio.h>

double old_style(a, b, n)
double a;
float b; /* arrives as a double */
int n;
{
    return a * b + n / 3.0;
}

float float_result(x)
float x;
{
    return x / 3;
}

double later();

typedef double (*Anything)();
typedef double (*Precise)(double, double);

static double two(double a, double b) { return a / (b + 2); }

static double ignores_extra(double a) { return sqrt(a) + 0.1; }

static void no_arguments() { printf("none\n"); }

int main() {
    volatile double seed = 0.8;
    Anything table[4];
    double x = seed;
    int i;
    table[0] = (Anything)two;
    table[1] = (Anything)ignores_extra;
    table[2] = later;
    table[3] = (Anything)old_style;
    for (i = 0; i < 20; i++) {
        float f = (float)x;
        x = old_style(x, f, i) * 0.5;
        x = later(x, 0.3) + float_result(f);
        x = ((Precise)table[0])(x, seed);
        x += table[0](x, 1.5);
        x -= table[1](fabs(x), seed, 3) * 0.1;
        x = table[3](x, 0.7, i % 4);
        printf("%a\n", x);
    }
    no_arguments();
    return (int)x & 1 ? 0 : 0;
}

double later(p, q)
double p, q;
{
    return p * 0.9 + sin(q);
}
