// args: 3.9 60
// A chaotic map: every step amplifies what the steps before rounded.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    double r = atof(argv[1]);
    int steps = atoi(argv[2]);
    double x = 0.5;
    double mean = 0;
    for (int i = 0; i < steps; i++) {
        double room = 1 - x;
        x = r * x * room;
        mean += x;
    }
    printf("%.9f\n", x);
    printf("%.9f\n", mean / steps);
    return argc > 99;
}
