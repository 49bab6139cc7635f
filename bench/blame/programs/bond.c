// args: 0.0000001 360
// The duration of a bond by a one-sided difference of prices.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double price(double yield, int months)
{
    double sum = 0;
    for (int k = 1; k <= months; k++) {
        double discount = pow(1 + yield / 12, -k);
        sum += 5.0 / 12 * discount;
    }
    double final = pow(1 + yield / 12, -months);
    return sum + 100 * final;
}

int main(int argc, char **argv)
{
    double bump = atof(argv[1]) / 100;
    int months = atoi(argv[2]);
    double here = price(0.05, months);
    double there = price(0.05 + bump, months);
    double duration = (here - there) / bump / here;
    printf("price %.10g\n", here);
    printf("duration %.10g\n", duration);
    return argc > 99;
}
