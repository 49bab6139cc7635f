/* On which side of a line a point lies, after Shewchuk: a filter, and an exact sum of products where it
   does not decide. Clean. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void two_sum(double a, double b, double *sum, double *rest) {
    double s = a + b, bb = s - a;
    *rest = (a - (s - bb)) + (b - bb);
    *sum = s;
}

static void split(double a, double *high, double *low) {
    double c = 134217729.0 * a;
    *high = c - (c - a);
    *low = a - *high;
}

static void two_product(double a, double b, double *product, double *rest) {
    double ah, al, bh, bl;
    *product = a * b;
    split(a, &ah, &al);
    split(b, &bh, &bl);
    *rest = al * bl - (((*product - ah * bh) - al * bh) - ah * bl);
}

/* Adds a number to an expansion, whose parts do not overlap. */
static int grow(double *parts, int count, double x) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
        double sum, rest;
        two_sum(x, parts[i], &sum, &rest);
        if (rest != 0)
            parts[kept++] = rest;
        x = sum;
    }
    parts[kept++] = x;
    return kept;
}

static double exact(const double *a, const double *b, const double *c) {
    double factors[6][2] = {{a[0], b[1]}, {-a[1], b[0]}, {b[0], c[1]},
                            {-b[1], c[0]}, {c[0], a[1]}, {-c[1], a[0]}};
    double parts[12];
    int count = 0;
    for (int i = 0; i < 6; i++) {
        double product, rest;
        two_product(factors[i][0], factors[i][1], &product, &rest);
        count = grow(parts, count, rest);
        count = grow(parts, count, product);
    }
    return parts[count - 1];
}

static double orientation(const double *a, const double *b, const double *c) {
    double left = (a[0] - c[0]) * (b[1] - c[1]), right = (a[1] - c[1]) * (b[0] - c[0]);
    double determinant = left - right;
    double bound = 3.3306690738754716e-16 * (fabs(left) + fabs(right));
    if (determinant > bound || -determinant > bound)
        return determinant;
    return exact(a, b, c);
}

int main(int argc, char **argv) {
    double p[3][2];
    for (int i = 0; i < 6; i++)
        p[i / 2][i % 2] = atof(argv[i + 1]);
    int steps = 32;
    for (int i = 0; i < steps; i++) {
        double moved[2] = {p[0][0] + i * 0x1p-52, p[0][1]};
        double side = orientation(moved, p[1], p[2]);
        puts(side > 0 ? "left" : side < 0 ? "right" : "on it");
    }
}
