// Prices of options by Black's and Scholes's formula, and their volatilities back from the prices by bisection.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double normal(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }

static double price(double s, double k, double t, double r, double v) {
    double root = v * sqrt(t), d = (log(s / k) + (r + v * v / 2) * t) / root;
    return s * normal(d) - k * exp(-r * t) * normal(d - root);
}

int main(int argc, char **argv) {
    long count = argc > 1 ? atol(argv[1]) : 400000;
    double total = 0, volatility = 0;
    for (long i = 0; i < count; i++) {
        double s = 80 + i % 41, t = 0.25 + i % 8 * 0.25, v = 0.15 + i % 13 * 0.02;
        double c = price(s, 100, t, 0.03, v), low = 0.01, high = 1;
        for (int round = 0; round < 20; round++) {
            double middle = (low + high) / 2;
            if (price(s, 100, t, 0.03, middle) < c) low = middle;
            else high = middle;
        }
        total += c;
        volatility += low;
    }
    printf("%.6f %.4f\n", total / count, volatility / count);
}
