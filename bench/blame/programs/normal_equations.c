// args: 1e-8 6
// Least squares by the normal equations and Cholesky, on nearly dependent columns.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 20
#define COLUMNS 3

int main(int argc, char **argv)
{
    double eps = atof(argv[1]) * 1e4;
    double a[ROWS][COLUMNS], y[ROWS], g[COLUMNS][COLUMNS], b[COLUMNS];
    for (int i = 0; i < ROWS; i++) {
        double t = i / 7.0;
        a[i][0] = 1;
        a[i][1] = 1 + eps * t;
        a[i][2] = 1 + eps * t * t;
        y[i] = sin(t);
    }
    for (int j = 0; j < COLUMNS; j++) {
        b[j] = 0;
        for (int i = 0; i < ROWS; i++)
            b[j] += a[i][j] * y[i];
        for (int k = 0; k < COLUMNS; k++) {
            g[j][k] = 0;
            for (int i = 0; i < ROWS; i++)
                g[j][k] += a[i][j] * a[i][k];
        }
    }
    for (int j = 0; j < COLUMNS; j++) {
        for (int k = 0; k < j; k++)
            g[j][j] -= g[j][k] * g[j][k];
        g[j][j] = sqrt(g[j][j]);
        for (int i = j + 1; i < COLUMNS; i++) {
            for (int k = 0; k < j; k++)
                g[i][j] -= g[i][k] * g[j][k];
            g[i][j] /= g[j][j];
        }
    }
    for (int j = 0; j < COLUMNS; j++) {
        for (int k = 0; k < j; k++)
            b[j] -= g[j][k] * b[k];
        b[j] /= g[j][j];
    }
    for (int j = COLUMNS - 1; j >= 0; j--) {
        for (int k = j + 1; k < COLUMNS; k++)
            b[j] -= g[k][j] * b[k];
        b[j] /= g[j][j];
    }
    for (int j = 0; j < COLUMNS; j++)
        printf("%.10g\n", b[j]);
    return argc > 99;
}
