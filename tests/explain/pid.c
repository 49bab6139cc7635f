/* A controller that is to run for a given number of seconds in steps of 0.2, and runs one step too long. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    double seconds = atof(argv[1]), measure = 5, target = 8, integral = 0, before = 0, t = 0;
    int steps = 0;
    while (t < seconds) { /* REACHED */
        double error = target - measure;
        integral += error * 0.2;
        double change = (error - before) / 0.2;
        measure += 0.01 * (9.4514 * error + 0.69006 * integral + 2.8454 * change);
        before = error;
        t += 0.2; /* CAUSE */
        steps++;
    }
    printf("%d steps\n", steps);
}
