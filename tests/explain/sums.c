/* The same sum in a naive way and in several careful ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double naive(const double *v, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i]; /* CAUSE */
    return sum;
}

static double kahan(const double *v, int n) {
    double sum = 0, rest = 0;
    for (int i = 0; i < n; i++) {
        double y = v[i] - rest, t = sum + y;
        rest = (t - sum) - y;
        sum = t;
    }
    return sum;
}

static double neumaier(const double *v, int n) {
    double sum = 0, rest = 0;
    for (int i = 0; i < n; i++) {
        double t = sum + v[i];
        rest += fabs(sum) >= fabs(v[i]) ? (sum - t) + v[i] : (v[i] - t) + sum;
        sum = t;
    }
    return sum + rest;
}

static double two_sum(const double *v, int n) {
    double sum = 0, rest = 0;
    for (int i = 0; i < n; i++) {
        double s = sum + v[i], b = s - sum;
        rest += (sum - (s - b)) + (v[i] - b);
        sum = s;
    }
    return sum + rest;
}

static double fast_two_sum(const double *v, int n) {
    double sum = 0, rest = 0;
    for (int i = 0; i < n; i++) {
        double a = fabs(sum) > fabs(v[i]) ? sum : v[i], b = sum + v[i] == 0 ? 0 : (a == sum ? v[i] : sum);
        double s = a + b;
        rest += b - (s - a);
        sum = s;
    }
    return sum + rest;
}

/* Both words are carried along. */
static double double_double(const double *v, int n) {
    double high = 0, low = 0;
    for (int i = 0; i < n; i++) {
        double s = high + v[i], b = s - high;
        double rest = (high - (s - b)) + (v[i] - b) + low;
        high = s + rest;
        low = rest - (high - s);
    }
    return high;
}

int main(int argc, char **argv) {
    const char *how = argv[1];
    int n = atoi(argv[2]);
    double *v = malloc(n * sizeof *v), step = atof(argv[3]);
    for (int i = 0; i < n; i++)
        v[i] = step;
    double sum = !strcmp(how, "naive")          ? naive(v, n)
                 : !strcmp(how, "kahan")        ? kahan(v, n)
                 : !strcmp(how, "neumaier")     ? neumaier(v, n)
                 : !strcmp(how, "two_sum")      ? two_sum(v, n)
                 : !strcmp(how, "fast_two_sum") ? fast_two_sum(v, n)
                                                : double_double(v, n);
    printf("%.17g\n", sum); /* REACHED */
}
