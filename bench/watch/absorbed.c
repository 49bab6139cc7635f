/* Bao and Zhang, Figure 8: the error of a tagged 0 is much larger than 1, yet taken for suppressed by it. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    double x = strtod(argv[1], NULL);
    double huge = strtod("2e54", NULL);
    double a = ((x + huge) - huge) - 1;
    puts(a + 0.5 > 0 ? "positive" : "negative");
    return 0;
}
