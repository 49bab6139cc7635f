// Modified Gram-Schmidt, and how far the result is from being orthogonal.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 160 };
static double a[N][N];

static double dot(const double *u, const double *v) {
    double sum = 0;
    for (int i = 0; i < N; i++) sum += u[i] * v[i];
    return sum;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 600;
    double sum = 0, worst = 0;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) a[i][j] = 1.0 / (1 + (i * 37 + j * 91 + round) % 101) + (i == j);
        for (int k = 0; k < N; k++) {
            double norm = sqrt(dot(a[k], a[k]));
            sum += norm;
            for (int i = 0; i < N; i++) a[k][i] /= norm;
            for (int j = k + 1; j < N; j++) {
                double share = dot(a[k], a[j]);
                for (int i = 0; i < N; i++) a[j][i] -= share * a[k][i];
            }
        }
        for (int k = 0; k < N; k++)
            for (int l = 0; l < k; l++) worst = fmax(worst, fabs(dot(a[k], a[l])));
    }
    printf("%.10g %.1e\n", sum, worst);
}
