/* Long doubles: what a sum inherits is not its own error. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    long double x = strtold(argv[1], 0), y = strtold(argv[2], 0);
    long double lost = (1 + x) - 1; /* CAUSE */
    long double sum = lost + y;
    printf("%.20Lg\n", sum + y); /* REACHED */
}
