/* The number of steps in an interval is rounded up, after the ends have cancelled. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    double from = strtod(argv[1], NULL);
    double to = strtod(argv[2], NULL);
    double length = to - from; /* ORIGIN */
    double steps = ceil(length * 1e15); /* UNSTABLE */
    printf("%g\n", steps);
    return 0;
}
