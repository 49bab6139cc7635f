/* On which side of a line a point lies, with as much precision as it takes (after Shewchuk, 1997): each stage adds
   what the one before it left out, and a bound of its own error says whether that is enough. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double unit = 0x1p-53;
static int stages[4];

typedef struct {
    double value, rest;
} pair;

static pair sum(double a, double b) {
    double s = a + b, c = s - a;
    return (pair){s, (a - (s - c)) + (b - c)};
}

static pair difference(double a, double b) {
    double s = a - b, c = a - s;
    return (pair){s, (a - (s + c)) + (c - b)};
}

static pair product(double a, double b) {
    double p = a * b, ca = 134217729.0 * a, cb = 134217729.0 * b;
    double ah = ca - (ca - a), al = a - ah, bh = cb - (cb - b), bl = b - bh;
    return (pair){p, al * bl - (((p - ah * bh) - al * bh) - ah * bl)};
}

/* a b - c d as four parts that do not overlap, the smallest first. */
static void determinant(double a, double b, double c, double d, double parts[4]) {
    pair left = product(a, b), right = product(c, d);
    pair low = difference(left.rest, right.rest), middle = sum(left.value, low.value);
    parts[0] = low.rest;
    low = difference(middle.rest, right.value);
    parts[1] = low.rest;
    low = sum(middle.value, low.value);
    parts[2] = low.rest;
    parts[3] = low.value;
}

/* The sum of two expansions; parts that are zero are left out. */
static int merged(const double *x, int nx, const double *y, int ny, double *to) {
    int i = 0, j = 0, count = 0;
    double carried = 0;
    while (i < nx || j < ny) {
        int first = j == ny || (i < nx && fabs(x[i]) < fabs(y[j]));
        pair next = sum(carried, first ? x[i++] : y[j++]);
        carried = next.value;
        if (next.rest != 0)
            to[count++] = next.rest;
    }
    if (carried != 0 || count == 0)
        to[count++] = carried;
    return count;
}

static double estimate(const double *parts, int count) {
    double all = parts[0];
    for (int i = 1; i < count; i++)
        all += parts[i];
    return all;
}

static double adapt(const double *a, const double *b, const double *c, double size) {
    pair acx = difference(a[0], c[0]), bcx = difference(b[0], c[0]);
    pair acy = difference(a[1], c[1]), bcy = difference(b[1], c[1]);
    double parts[4], next[4], first[8], second[12], last[16];
    determinant(acx.value, bcy.value, acy.value, bcx.value, parts);
    double all = estimate(parts, 4);
    double bound = (2 + 12 * unit) * unit * size;
    stages[1]++;
    if (all >= bound || -all >= bound)
        return all;
    if (acx.rest == 0 && acy.rest == 0 && bcx.rest == 0 && bcy.rest == 0)
        return all;
    bound = (9 + 64 * unit) * unit * unit * size + (3 + 8 * unit) * unit * fabs(all);
    all += (acx.value * bcy.rest + bcy.value * acx.rest) - (acy.value * bcx.rest + bcx.value * acy.rest);
    stages[2]++;
    if (all >= bound || -all >= bound)
        return all;
    determinant(acx.rest, bcy.value, acy.rest, bcx.value, next);
    int count = merged(parts, 4, next, 4, first);
    determinant(acx.value, bcy.rest, acy.value, bcx.rest, next);
    count = merged(first, count, next, 4, second);
    determinant(acx.rest, bcy.rest, acy.rest, bcx.rest, next);
    count = merged(second, count, next, 4, last);
    stages[3]++;
    return last[count - 1];
}

static double orientation(const double *a, const double *b, const double *c) {
    double left = (a[0] - c[0]) * (b[1] - c[1]), right = (a[1] - c[1]) * (b[0] - c[0]);
    double all = left - right, size;
    stages[0]++;
    if (left > 0) {
        if (right <= 0)
            return all;
        size = left + right;
    } else if (left < 0) {
        if (right >= 0)
            return all;
        size = -left - right;
    } else
        return all;
    double bound = (3 + 16 * unit) * unit * size;
    if (all >= bound || -all >= bound)
        return all;
    return adapt(a, b, c, size);
}

static double naive(const double *a, const double *b, const double *c) {
    return (a[0] - c[0]) * (b[1] - c[1]) - (a[1] - c[1]) * (b[0] - c[0]); /* CAUSE */
}

int main(int argc, char **argv) {
    double p[3][2];
    for (int i = 0; i < 6; i++)
        p[i / 2][i % 2] = atof(argv[i + 2]);
    for (int i = -16; i < 16; i++)
        for (int j = -16; j < 16; j++) {
            double moved[2] = {p[0][0] + i * 0x1p-53, p[0][1] + j * 0x1p-53};
            double side = strcmp(argv[1], "naive") ? orientation(moved, p[1], p[2]) : naive(moved, p[1], p[2]);
            putchar(side > 0 /* REACHED */ ? '+' : side < 0 /* REACHED */ ? '-' : '0');
        }
    printf("\n%d %d %d %d\n", stages[0], stages[1], stages[2], stages[3]);
}
