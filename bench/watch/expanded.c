/* Bao and Zhang, Figure 1 (b): the same expanded. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    double x = strtod(argv[1], NULL);
    double z = x * x * x * x - 4 * x * x * x + 6 * x * x - 4 * x + 1;
    puts(z > 0.5 ? "hit" : "miss");
    return 0;
}
