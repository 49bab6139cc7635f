/* A price becomes a whole number of cents: 0.29 * 100 is a little less than 29. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    double price = strtod(argv[1], NULL);
    int cents = (int)(price * 100); /* UNSTABLE */
    printf("%d\n", cents);
    return 0;
}
