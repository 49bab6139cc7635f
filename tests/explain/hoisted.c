/* What does not change in a loop is moved out of it, and loses its place in debug information. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    double x = atof(argv[argc - 1]), sum = 0;
    for (int i = 0; i < 10 * argc; i++)
        sum += i * ((1 + x) - 1); // CAUSE
    printf("%.17g\n", sum);       // REACHED
}
