/* Subjects of the search for arrays. */
#include <math.h>

void multiply(const double *A, const double *x, int n, double *Ax) {
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += A[i * n + j] * x[j];
        Ax[i] = sum;
    }
}

/* Twice the sum, in a way that depends on its sign. */
double twice(const double *x) {
    double sum = 0;
    for (int i = 0; i < 6; i++) sum += x[i];
    if (sum > 0) return sum + fabs(sum);
    return sum - fabs(sum);
}

/* Exact for floats that are not too far apart. */
double product(const double *x) {
    return x[0] * x[1];
}
