/* Variables of every sort, each in an expression that cancels: a global, a field, an element, a parameter, two of the
 * same name. */
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>

struct point {
    double x, y;
};
struct line {
    struct point from, to;
};

static double offset = 1e8;

__attribute__((noinline)) static double of_field(const struct line *line) {
    return (line->from.x + line->to.y) - line->from.x; /* CAUSE field */
}

__attribute__((noinline)) static double of_element(const double *a, int i) {
    return (a[i] + a[i + 1]) - a[i]; /* CAUSE element */
}

__attribute__((noinline)) static double of_matrix(double m[3][4], int row, int column) {
    return (m[row][column] + m[2][1]) - m[row][column]; /* CAUSE matrix */
}

__attribute__((noinline)) static double of_global(double x) {
    return (offset + x) - offset; /* CAUSE global */
}

static double difference(double x, double y) {
    return x - y; /* CAUSE same */
}

__attribute__((noinline)) static double of_same(double x, int small) {
    return difference(x + 1.0 / small, x);
}

__attribute__((noinline)) static double of_angle(double across, double up, double angle) {
    return carg(__builtin_complex(across, up)) - angle; /* CAUSE angle */
}

/* Pairs of a large number and a small one. */
int main(int argc, char **argv) {
    double matrix[3][4] = {{0}};
    double list[8];
    for (int k = 1; k + 1 < argc; k += 2) {
        double large = atof(argv[k]), small = atof(argv[k + 1]);
        struct line line = {{large, 1}, {2, small}};
        for (int i = 0; i < 8; i++)
            list[i] = i % 2 ? small : large;
        matrix[k % 3][2] = large;
        matrix[2][1] = small;
        offset = large;
        printf("%.17g\n", of_field(&line));
        printf("%.17g\n", of_element(list, k + 1));
        printf("%.17g\n", of_matrix(matrix, k % 3, 2));
        printf("%.17g\n", of_global(small));
        printf("%.17g\n", of_same(large, 3 * k));
        printf("%.17g\n", of_angle(large, small, small / large));
    }
}
