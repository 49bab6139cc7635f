/* Two functions that are fine alone and lose everything together. */
#include <stdio.h>
#include <stdlib.h>

struct point { double x, y; };

static struct point *make_point(double x, double y) {
    struct point *made = malloc(sizeof *made);
    made->x = x;
    made->y = y;
    return made;
}

__attribute__((noinline)) static double foo(const struct point *a, const struct point *b) {
    return ((a->x + a->y) - (b->x + b->y)) * a->x; /* CAUSE */
}

__attribute__((noinline)) static double bar(double x, double y, double z) {
    struct point *a = make_point(x, y), *b = make_point(x, z);
    double result = foo(a, b);
    free(a);
    free(b);
    return result;
}

int main(int argc, char **argv) {
    for (int i = 1; i + 2 < argc; i += 3)
        printf("%g\n", bar(atof(argv[i]), atof(argv[i + 1]), atof(argv[i + 2]))); /* REACHED */
}
