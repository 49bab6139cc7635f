/* The sine of a large angle: its error is that of the angle, many times over. Without errno it is an intrinsic. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    double angle = strtod(argv[1], NULL);
    double height = sin(angle); /* ORIGIN */
    puts(height > 0.25 ? "above" : "below"); /* UNSTABLE */
    return 0;
}
