/* The shape of Bao and Zhang's Table 2, from 183.equake: the determinant decides whether a volume is
 * positive. Execution 1: tagged values are small, and suppressed by the last summand. Execution 2: the
 * sum cancels. */
#include <stdio.h>
#include <stdlib.h>

/* Rounding left of what would be 0. */
static double residue(double x) {
    return (x + 0.2) - 0.3;
}

static int inverted(const double *a, const double *c) {
    double det = a[0] * c[0];
    double t1 = a[1] * c[1];
    det = det + t1; /* ORIGIN */
    double t2 = a[2] * c[2];
    det = det + t2;
    double volume = det / 6;
    return volume <= 0; /* UNSTABLE */
}

int main(int argc, char **argv) {
    double tenth = strtod("0.1", NULL);
    double unit = strtod(argv[2], NULL);
    double suppressed_a[] = {residue(tenth), residue(tenth), 1.46 * unit};
    double suppressed_c[] = {-1.90 * unit, residue(tenth), 1.90 * unit};
    double cancelled_a[] = {2.92 * unit, 2.92 * unit, 2.92 * unit};
    double cancelled_c[] = {7.58 * unit, -7.580000000000005 * unit, residue(tenth) - residue(tenth)};
    if (argv[1][0] == '1')
        printf("%d\n", inverted(suppressed_a, suppressed_c));
    else
        printf("%d\n", inverted(cancelled_a, cancelled_c));
    return 0;
}
