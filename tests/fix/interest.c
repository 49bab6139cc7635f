#include <stdio.h>
#include <stdlib.h>
#include <math.h>

/* what compound interest adds to a unit of money in n periods */
int main(int argc, char **argv)
{
    double rate = atof(argv[1]);
    int n = atoi(argv[2]);
    double growth = pow(1 + rate, n) - 1;
    printf("%.12g\n", growth);
    return argc < 3;
}
