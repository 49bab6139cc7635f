// args: 0.001 200000
// A pendulum by semi-implicit Euler; its energy is nearly conserved, so the drift is a small difference.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    double h = atof(argv[1]);
    int steps = atoi(argv[2]) / 10;
    double angle = 0.3, rate = 0, time = 0;
    for (int i = 0; i < steps; i++) {
        rate -= h * sin(angle);
        angle += h * rate;
        time += h;
    }
    double late = time - steps / 1000;
    printf("time %.15g\n", time);
    printf("late %.12g\n", late + 1e-9);
    printf("angle %.9g\n", angle);
    return argc > 99;
}
