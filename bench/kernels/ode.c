/* ODE: fourth-order Runge-Kutta through a function pointer, Lorenz and van der Pol. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef void System(double t, const double *y, double *dydt, const double *parameter);

static void lorenz(double t, const double *y, double *dydt, const double *parameter) {
    (void)t;
    dydt[0] = parameter[0] * (y[1] - y[0]);
    dydt[1] = y[0] * (parameter[1] - y[2]) - y[1];
    dydt[2] = y[0] * y[1] - parameter[2] * y[2];
}

static void van_der_pol(double t, const double *y, double *dydt, const double *parameter) {
    dydt[0] = y[1];
    dydt[1] = parameter[0] * (1 - y[0] * y[0]) * y[1] - y[0] + parameter[1] * t * 1e-3;
    dydt[2] = y[0] - 0.5 * y[2];
}

static void runge_kutta(System *volatile *system, double t, double h, double *y, const double *parameter) {
    double k1[3], k2[3], k3[3], k4[3], at[3];
    System *derivative = *system;
    derivative(t, y, k1, parameter);
    for (int i = 0; i < 3; i++) at[i] = y[i] + 0.5 * h * k1[i];
    derivative(t + 0.5 * h, at, k2, parameter);
    for (int i = 0; i < 3; i++) at[i] = y[i] + 0.5 * h * k2[i];
    derivative(t + 0.5 * h, at, k3, parameter);
    for (int i = 0; i < 3; i++) at[i] = y[i] + h * k3[i];
    derivative(t + h, at, k4, parameter);
    for (int i = 0; i < 3; i++) y[i] += h / 6 * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i]);
}

int main(int argc, char **argv) {
    int steps = argc > 1 ? atoi(argv[1]) : 4000000;
    System *volatile systems[2] = {lorenz, van_der_pol};
    double parameters[2][3] = {{10, 28, 8.0 / 3}, {1.5, 0.2, 0}};
    double y[2][3] = {{1, 1, 20}, {2, 0, 0}};
    for (int s = 0; s < 2; s++)
        for (int step = 0; step < steps; step++) runge_kutta(&systems[s], step * 1e-3, 1e-3, y[s], parameters[s]);
    printf("ode %.17g %.17g %.17g %.17g\n", y[0][0], y[0][2], y[1][0], y[1][2]);
    return 0;
}
