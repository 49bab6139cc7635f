/* Subjects of symbolic search. */
#include <math.h>

/* FPGen's first figure; the array is left as it is. */
double recursive_summation(const double *A, int size) {
    double sum = A[size - 1];
    for (int i = size - 2; i >= 0; i--) sum = sum + A[i];
    return sum;
}

double dot(const double *x, const double *y, int size) {
    double sum = 0;
    for (int i = 0; i < size; i++) sum += x[i] * y[i];
    return sum;
}

/* A parser-like guard: whole parts say nothing about how to change an input, so only a solver gets in. */
double guarded(double key, double lock, double x) {
    if (floor(key) != 7731.0) return x;
    if (floor(lock * 0.5) != 52.0) return 2.0 * x;
    return (key - 7731.25) + x;
}

/* The sum of floats in float. */
float singles(const float *x, int size) {
    float sum = x[0];
    for (int i = 1; i < size; i++) sum += x[i];
    return sum;
}

/* An integer on the way, which is the value without its fraction. */
double stepped(double x, double y) {
    int whole = (int)x;
    return (x - whole) + y;
}

/* Through memory, structures, calls and integers that move bits. */
struct pair { double first, second; };
static __attribute__((noinline)) struct pair swapped(struct pair p) {
    struct pair q = {p.second, p.first};
    return q;
}
double travelled(double x, double y) {
    struct pair p = swapped((struct pair){x, y});
    unsigned long bits;
    __builtin_memcpy(&bits, &p.first, sizeof bits);
    double back;
    __builtin_memcpy(&back, &bits, sizeof back);
    return back - p.second;
}

/* An integer that is more than that: it keeps its value in questions. */
double indexed(double x, double y) {
    int whole = (int)x;
    return (double)(whole % 7) + x + y;
}

/* A guard on an integer. */
double keyed(double key, double x) {
    int whole = (int)key;
    if (whole != 7731) return x;
    return (key - 7731.25) + x;
}
