/* Bao and Zhang, Figure 1 (c): (x - 1)^4 against one half. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    double x = strtod(argv[1], NULL);
    double z = (x - 1) * (x - 1) * (x - 1) * (x - 1);
    puts(z > 0.5 ? "hit" : "miss");
    return 0;
}
