/* The shape of deisotope: a mass is put into a bin by conversion to an integer. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    double x = strtod(argv[1], NULL);
    int bin = (int)(x / 0.11156381266106557);
    printf("%d\n", bin);
    return 0;
}
