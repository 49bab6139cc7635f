/* With parts_decision.c: the error is inflated in one module, the decision falls in another. */
#include <stdio.h>
#include <stdlib.h>

int is_positive(const double *difference);

int main(int argc, char **argv) {
    double x = strtod(argv[1], NULL), y = strtod(argv[2], NULL);
    double *kept = malloc(sizeof *kept);
    *kept = x - y; /* ORIGIN */
    printf("%d\n", is_positive(kept));
    free(kept);
    return 0;
}
