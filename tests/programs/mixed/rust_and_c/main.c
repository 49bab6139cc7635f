#include <math.h>
#include <stdio.h>

typedef struct { double x; float y; } Point;

double shapes_fold(double *v, size_t n, double (*f)(double, float));
Point shapes_move(Point p, double by);

static double bend(double x, float y) { return sin(x) * 4 + y; }

int main(void) {
    volatile double seed = 0.6;
    double v[30];
    Point p = {seed, 0.9f};
    for (int i = 0; i < 30; i++) v[i] = cos(i * seed) * i;
    for (int round = 0; round < 10; round++) {
        double sum = shapes_fold(v, 30, bend);
        p = shapes_move(p, sum);
        printf("%a %a %a %a\n", sum, p.x, p.y, v[round] * 1.5);
    }
    return 0;
}
