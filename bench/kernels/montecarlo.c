/* Monte Carlo: the price of an Asian option, its own random numbers, exp, log and sqrt of the library. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state = 88172645463325252u;

static double uniform(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}

/* Marsaglia's polar method. */
static double gauss(void) {
    static double spare;
    static int kept;
    if (kept) {
        kept = 0;
        return spare;
    }
    double u, v, s;
    do {
        u = 2 * uniform() - 1;
        v = 2 * uniform() - 1;
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    double scale = sqrt(-2 * log(s) / s);
    spare = v * scale;
    kept = 1;
    return u * scale;
}

int main(int argc, char **argv) {
    int paths = argc > 1 ? atoi(argv[1]) : 500000;
    enum { DAYS = 24 };
    double spot = 100, strike = 102, rate = 0.03, volatility = 0.25, year = 1.0 / DAYS;
    double drift = (rate - 0.5 * volatility * volatility) * year, wobble = volatility * sqrt(year);
    double sum = 0, squares = 0;
    for (int path = 0; path < paths; path++) {
        double price = spot, average = 0;
        for (int day = 0; day < DAYS; day++) {
            price *= exp(drift + wobble * gauss());
            average += price / DAYS;
        }
        double payoff = average > strike ? exp(-rate) * (average - strike) : 0;
        sum += payoff;
        squares += payoff * payoff;
    }
    printf("montecarlo %.17g %.17g\n", sum / paths, sqrt(squares / paths - sum / paths * (sum / paths)));
    return 0;
}
