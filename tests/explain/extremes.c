/* Decisions that rest on numbers too small or too large for a double. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    const char *how = argv[1];
    double x = atof(argv[2]), y = atof(argv[3]);
    if (!strcmp(how, "vanishes")) {
        double s = x * y;              /* CAUSE vanishes */
        puts(s == 0 ? "none" : "some"); /* REACHED vanishes */
    } else if (!strcmp(how, "scaled")) {
        double s = x * y;                         /* CAUSE scaled */
        puts(s * 1e300 * 1e100 > 1 ? "more" : "less"); /* REACHED scaled */
    } else if (!strcmp(how, "integer")) {
        double s = x * y;                        /* CAUSE integer */
        printf("%d\n", (int)(s * 1e300 * 1e101)); /* REACHED integer */
    } else if (!strcmp(how, "overflows")) {
        double s = x * y;                  /* CAUSE overflows */
        puts(s / y > 1e250 ? "more" : "less"); /* REACHED overflows */
    } else if (!strcmp(how, "asks")) {
        /* Whether it overflowed, and whether it is nothing. */
        puts(isinf(x * y) || (x - x) * y == 0 ? "yes" : "no");
    } else {
        /* Too small, and far from what it is compared with. */
        puts(x * y < 1 ? "less" : "more");
    }
}
