// args: 1 1 1.05 0.005 3000
// The Lorenz system by Runge and Kutta's method.
#include <stdio.h>
#include <stdlib.h>

static void slope(const double *u, double *du)
{
    double dx = u[1] - u[0];
    du[0] = 10 * dx;
    double gap = 28 - u[2];
    du[1] = u[0] * gap - u[1];
    du[2] = u[0] * u[1] - 8.0 / 3.0 * u[2];
}

int main(int argc, char **argv)
{
    double u[3] = {atof(argv[1]), atof(argv[2]), atof(argv[3])};
    double h = atof(argv[4]);
    int steps = atoi(argv[5]);
    double a[3], b[3], c[3], d[3], v[3];
    for (int step = 0; step < steps; step++) {
        slope(u, a);
        for (int i = 0; i < 3; i++)
            v[i] = u[i] + h / 2 * a[i];
        slope(v, b);
        for (int i = 0; i < 3; i++)
            v[i] = u[i] + h / 2 * b[i];
        slope(v, c);
        for (int i = 0; i < 3; i++)
            v[i] = u[i] + h * c[i];
        slope(v, d);
        for (int i = 0; i < 3; i++) {
            double increment = h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
            u[i] = u[i] + increment;
        }
    }
    printf("%.15f %.15f %.15f\n", u[0], u[1], u[2]);
    return argc > 99;
}
