/* Every operation of a macro is where the macro is used. */
#include <stdio.h>
#include <stdlib.h>

#define DIFFERENCE(x) ((1 + (x)) - 1 + (x) * (x) - 3 * (x))

int main(int argc, char **argv) {
    double x = atof(argv[argc - 1]);
    double y = DIFFERENCE(x); // CAUSE
    printf("%.17g\n", y);     // REACHED
}
