#include <complex.h>
#include <math.h>
#include <stdio.h>

typedef struct { double x; float y; int n; } Record;

double fortran_norm(const double *v, int n);

double c_apply(double (*f)(double), double x, float y) { return f(x) * y + sqrt(x); }

void c_update(Record *record, double factor) {
    record->x = record->x * factor + record->y;
    record->y /= 3;
    record->n++;
}

double complex c_rotate(double complex z, double angle) { return z * cexp(I * angle); }

double c_calls_back(double *v, int n) {
    for (int i = 0; i < n; i++) v[i] = v[i] * 1.25 - i;
    double norm = fortran_norm(v, n);
    printf("in C %a\n", norm);
    fflush(stdout);
    return norm / n;
}
