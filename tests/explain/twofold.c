/* A small library of double-double arithmetic, after Dekker and Knuth, and the roots of a quadratic equation with
   and without it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double high, low;
} twofold;

static twofold fast_two_sum(double a, double b) {
    double s = a + b;
    return (twofold){s, b - (s - a)};
}

static twofold two_sum(double a, double b) {
    double s = a + b, c = s - a;
    return (twofold){s, (a - (s - c)) + (b - c)};
}

static twofold split(double a) {
    double c = 134217729.0 * a, high = c - (c - a);
    return (twofold){high, a - high};
}

static twofold dekker_product(double a, double b) {
    twofold x = split(a), y = split(b);
    double p = a * b;
    return (twofold){p, ((x.high * y.high - p) + x.high * y.low + x.low * y.high) + x.low * y.low};
}

static twofold fused_product(double a, double b) {
    double p = a * b;
    return (twofold){p, fma(a, b, -p)};
}

static twofold (*product)(double, double) = dekker_product;

static twofold add(twofold x, twofold y) {
    twofold s = two_sum(x.high, y.high), t = two_sum(x.low, y.low);
    s = fast_two_sum(s.high, s.low + t.high);
    return fast_two_sum(s.high, s.low + t.low);
}

static twofold sub(twofold x, twofold y) {
    return add(x, (twofold){-y.high, -y.low});
}

static twofold mul(twofold x, twofold y) {
    twofold p = product(x.high, y.high);
    return fast_two_sum(p.high, p.low + (x.high * y.low + x.low * y.high));
}

static twofold divide(twofold x, twofold y) {
    double first = x.high / y.high;
    twofold rest = sub(x, mul(y, (twofold){first, 0}));
    double second = rest.high / y.high;
    rest = sub(rest, mul(y, (twofold){second, 0}));
    twofold q = fast_two_sum(first, second);
    return add(q, (twofold){rest.high / y.high, 0});
}

static twofold root(twofold x) {
    if (x.high <= 0)
        return (twofold){0, 0};
    double near = sqrt(x.high);
    twofold rest = sub(x, product(near, near));
    return fast_two_sum(near, rest.high / (2 * near));
}

/* The smaller root of a x^2 + b x + c. */
static double careful(double a, double b, double c, twofold *whole) {
    twofold square = product(b, b), four = mul((twofold){4 * a, 0}, (twofold){c, 0});
    twofold x = sub(root(sub(square, four)), (twofold){b, 0});
    *whole = divide(x, (twofold){2 * a, 0});
    return whole->high;
}

static double naive(double a, double b, double c) {
    return (sqrt(b * b - 4 * a * c) - b) / (2 * a); /* CAUSE */
}

int main(int argc, char **argv) {
    const char *how = argv[1];
    double a = atof(argv[2]), b = atof(argv[3]), c = atof(argv[4]);
    twofold whole = {0, 0};
    if (!strcmp(how, "fused"))
        product = fused_product;
    double x = strcmp(how, "naive") ? careful(a, b, c, &whole) : naive(a, b, c);
    printf("%.17g\n", x); /* REACHED */
    if (!strcmp(how, "both"))
        printf("%.17g + %.17g\n", whole.high, whole.low);
    twofold halves = split(a / 3), parts = two_sum(a, b);
    if (!strcmp(how, "parts")) {
        printf("%.17g + %.17g\n", halves.high, halves.low);
        printf("%.17g + %.17g\n", parts.high, parts.low);
    }
}
