// Legendre polynomials by their recurrence, and the nodes of Gauss's rule by Newton's method.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int degree = argc > 1 ? atoi(argv[1]) : 9000;
    double weights = 0, moment = 0;
    for (int i = 0; i < (degree + 1) / 2; i++) {
        double x = cos(3.14159265358979 * (i + 0.75) / (degree + 0.5)), slope = 0;
        for (int round = 0; round < 4; round++) {
            double p = 1, before = 0;
            for (int n = 1; n <= degree; n++) {
                double next = ((2 * n - 1) * x * p - (n - 1) * before) / n;
                before = p;
                p = next;
            }
            slope = degree * (x * p - before) / (x * x - 1);
            x -= p / slope;
        }
        double weight = 2 / ((1 - x * x) * slope * slope);
        int both = 2 * i + 1 == degree ? 1 : 2;
        weights += both * weight;
        moment += both * weight * x * x;
    }
    printf("%.8f %.8f\n", weights, moment);
}
