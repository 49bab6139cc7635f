/* Sums, dot products and polynomials with their errors caught (Dekker, Neumaier, Ogita, Rump and Oishi), and without. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef REAL
#define REAL double
#define SPLIT 134217729.0
#define DIGITS 53
#else
#define SPLIT 4097.0f
#define DIGITS 24
#endif
typedef REAL real;

static void sum_of(real a, real b, real *sum, real *rest) {
    real s = a + b, c = s - a;
    *rest = (a - (s - c)) + (b - c);
    *sum = s;
}

static void product_of(real a, real b, real *product, real *rest) {
    real p = a * b, ca = (real)SPLIT * a, cb = (real)SPLIT * b;
    real ah = ca - (ca - a), al = a - ah, bh = cb - (cb - b), bl = b - bh;
    *rest = al * bl - (((p - ah * bh) - al * bh) - ah * bl);
    *product = p;
}

static real naive_dot(const real *x, const real *y, int n) {
    real all = 0;
    for (int i = 0; i < n; i++)
        all += x[i] * y[i]; /* CAUSE dot */
    return all;
}

static real dot(const real *x, const real *y, int n) {
    real all = 0, rests = 0;
    for (int i = 0; i < n; i++) {
        real product, rest, more;
        product_of(x[i], y[i], &product, &rest);
        sum_of(all, product, &all, &more);
        rests += rest + more;
    }
    return all + rests;
}

/* (x - 1)^7, multiplied out. */
static const real factors[8] = {-1, 7, -21, 35, -35, 21, -7, 1};

static real naive_polynomial(real x) {
    real all = factors[7];
    for (int i = 6; i >= 0; i--)
        all = all * x + factors[i]; /* CAUSE polynomial */
    return all;
}

static real polynomial(real x) {
    real all = factors[7], rests = 0;
    for (int i = 6; i >= 0; i--) {
        real product, rest, more;
        product_of(all, x, &product, &rest);
        sum_of(product, factors[i], &all, &more);
        rests = rests * x + (rest + more);
    }
    return all + rests;
}

/* Halves are summed by themselves; their rests as well. */
static real pairwise(const real *x, int n, real *rest) {
    real left, right, of_left, of_right, all, more;
    if (n == 1) {
        *rest = 0;
        return x[0];
    }
    left = pairwise(x, n / 2, &of_left);
    right = pairwise(x + n / 2, n - n / 2, &of_right);
    sum_of(left, right, &all, &more);
    *rest = of_left + of_right + more;
    return all;
}

/* What all numbers have above a common unit is summed without error, then the next slice. */
static real slices(const real *given, int n) {
    real *x = malloc(n * sizeof *x), all = 0, rests = 0;
    memcpy(x, given, n * sizeof *x);
    for (int slice = 0; slice < 3; slice++) {
        real largest = 0;
        for (int i = 0; i < n; i++)
            largest = fabs((double)x[i]) > largest ? (real)fabs((double)x[i]) : largest;
        if (largest == 0)
            break;
        real unit = (real)ldexp(1, (int)ceil(log2((double)largest)) + (int)ceil(log2(n + 2.0))), upper = 0, more;
        for (int i = 0; i < n; i++) {
            real high = (unit + x[i]) - unit;
            upper += high;
            x[i] -= high;
        }
        sum_of(all, upper, &all, &more);
        rests += more;
    }
    free(x);
    return all + rests;
}

/* The upper slice alone: what is below the unit is lost. */
static real cut_off(const real *x, int n) {
    real unit = (real)ldexp(1, DIGITS + 16), upper = 0;
    for (int i = 0; i < n; i++)
        upper += (unit + x[i]) - unit; /* CAUSE cut */
    return upper;
}

/* Any numbers, and nothing is rounded. */
static real number(void) {
    static unsigned long long seed = 1;
    seed = seed * 6364136223846793005 + 1442695040888963407;
    return (real)(seed >> (64 - DIGITS));
}

/* Two vectors whose products nearly cancel. */
static void fill(real *x, real *y, int n) {
    for (int i = 0; i < n; i += 2) {
        x[i] = x[i + 1] = number();
        y[i] = number();
        y[i + 1] = -y[i];
    }
    x[n - 1] -= 1;
}

int main(int argc, char **argv) {
    const char *how = argv[1];
    int n = atoi(argv[2]);
    real at = (real)atof(argv[3]), rest = 0;
    real *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    fill(x, y, n);
    real all = !strcmp(how, "naive-dot")          ? naive_dot(x, y, n)
               : !strcmp(how, "dot")              ? dot(x, y, n)
               : !strcmp(how, "naive-polynomial") ? naive_polynomial(at)
               : !strcmp(how, "polynomial")       ? polynomial(at)
               : !strcmp(how, "pairwise")         ? pairwise(x, n, &rest) + rest
               : !strcmp(how, "cut-off")          ? cut_off(x, n)
                                                  : slices(x, n);
    printf("%.9g\n", all); /* REACHED */
}
