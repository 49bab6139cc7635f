/* Comparisons that ask about rounding itself, and some that only look so. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A machine epsilon, as in Kahan's paranoia. */
static double epsilon(double half) {
    double eps = 1, c = 1, last;
    do {
        last = c;
        eps *= half;
        c = 1 + eps;
    } while (c != 1 && c != last);
    return eps;
}

/* The same without the constant. */
static float epsilon_of(float x, float half) {
    float eps = x, last, sum = x + x;
    do {
        last = sum;
        eps *= half;
        sum = x + eps;
    } while (sum != last);
    return eps;
}

/* A series that is summed until nothing changes. */
static double series(double x) {
    double sum = 0, before, term = 1;
    int i = 0;
    do {
        before = sum;
        sum += term;
        term *= x / ++i;
    } while (sum != before);
    return sum;
}

/* Whether two numbers are equal but for rounding. */
static int filtered(double a, double b, double c, double ulps) {
    double quotient = a / b;
    return c - quotient < ulps * (c + quotient);
}

/* A tolerance that became too small to mean anything (NSan's fcmp.cpp). */
__attribute__((noinline)) static int tolerance(double a, double b, double c, double half) {
    double t = 1;
    for (int i = 0; i < 52; i++)
        t *= half;
    return c - a / b < t; /* TOLERANCE */
}

/* The same with a factor that is computed. */
__attribute__((noinline)) static int scaled_tolerance(double a, double b, double c, double two) {
    double t = 1, half = 1 / two;
    for (int i = 0; i < 52; i++)
        t = t * half;
    return t > c - a / b; /* SCALED */
}

int main(int count, char **words) {
    const char *way = words[1];
    double x = atof(words[2]);
    double a = count > 3 ? atof(words[3]) : 0, b = count > 4 ? atof(words[4]) : 0;
    double result = !strcmp(way, "epsilon")      ? epsilon(x)
                    : !strcmp(way, "epsilon-of") ? epsilon_of(3, x)
                    : !strcmp(way, "series")     ? series(x)
                    : !strcmp(way, "filtered")   ? filtered(x, a, b, 0x1.2p-54)
                    : !strcmp(way, "tolerance")  ? tolerance(x, a, b, 0.5)
                                                 : scaled_tolerance(x, a, b, 2);
    printf("%g\n", result);
    return count < 3;
}
