// args: 1000 0.05 1e7 3650
// Interest compounded very often, and a savings account with daily interest.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    double principal = atof(argv[1]);
    double rate = atof(argv[2]);
    double often = atof(argv[3]);
    int days = atoi(argv[4]);
    double factor = 1 + rate / often;
    double growth = pow(factor, often);
    printf("compounded %.15g\n", principal * growth);
    double balance = principal;
    double daily = rate / 365;
    for (int day = 0; day < days; day++) {
        double interest = balance * daily;
        balance = balance + interest;
    }
    printf("daily %.15g\n", balance);
    return argc > 99;
}
