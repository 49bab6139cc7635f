#include <math.h>
#include <stdio.h>

double middle(double x, float y, const double *v, int n);
void overwrite(double *v, int n);
double variadic_middle(int n, ...);

double from_top(double a, double b, float c) { return a / (b + 3) + c; }

int main(void) {
    volatile double seed = 0.55;
    double v[24], sum = 0;
    for (int i = 0; i < 24; i++) v[i] = exp(-i * seed);
    for (int round = 0; round < 12; round++) {
        sum = sum * 0.5 + middle(v[round], (float)round / 7, v, 24);
        overwrite(v + round, 6);
        for (int i = 0; i < 24; i++) v[i] += sum * 0.01;
        sum += variadic_middle(3, sum, v[round], seed * round);
        printf("%a %a %a\n", sum, v[round], v[(round * 7) % 24] * 3);
    }
    return 0;
}
