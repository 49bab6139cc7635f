// args: 100 105 0.05 0.2 40000
// The price of a European call by simulation.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long long state = 88172645463325252ULL;

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 12) * 0x1p-52;
}

int main(int argc, char **argv)
{
    double spot = atof(argv[1]);
    double strike = atof(argv[2]);
    double rate = atof(argv[3]);
    double volatility = atof(argv[4]);
    int paths = atoi(argv[5]);
    double drift = rate - volatility * volatility / 2;
    double discount = exp(-rate);
    double sum = 0;
    for (int i = 0; i < paths; i++) {
        double u = uniform();
        double v = uniform();
        double radius = sqrt(-2 * log(u + 0x1p-60));
        double normal = radius * cos(6.283185307179586 * v);
        double end = spot * exp(drift + volatility * normal);
        double pay = end - strike;
        if (pay < 0)
            pay = 0;
        sum += pay + 1000.1;
    }
    double mean = sum / paths;
    double price = discount * (mean - 1000.1);
    printf("price %.15g\n", price);
    return argc > 99;
}
