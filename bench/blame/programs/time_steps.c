// args: 0.1 100000
// A clock that adds its step, and a sample of a wave at the end.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    double step = atof(argv[1]);
    int steps = atoi(argv[2]);
    double t = 0;
    for (int i = 0; i < steps; i++)
        t += step;
    double phase = 2 * t;
    double wave = sin(phase);
    printf("time %.15g\n", t);
    printf("wave %.15g\n", wave);
    printf("damped %.15g\n", exp(-t / 1000) * wave);
    return argc > 99;
}
