/* Numbers too small for a double: what they lose is too small for a residue, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    const char *how = argv[1];
    double x = atof(argv[2]), y = atof(argv[3]), result;
    if (!strcmp(how, "vanishes"))
        result = x * y * 1e300 * 1e200; /* CAUSE vanishes */
    else if (!strcmp(how, "coarse"))
        result = (x * y) * (1 / x); /* CAUSE coarse */
    else if (!strcmp(how, "small"))
        result = (x * y) * 1e300;
    else
        result = 1 + x * y;
    printf("%.17g\n", result); /* REACHED */
}
