#include "variance.h"

double variance(const double *x, int n)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    return (squares - sum * sum / n) / (n - 1);
}
