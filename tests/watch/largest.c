/* Bao and Zhang, Figure 9 (a): whichever of two nearly equal values is picked, the result is the same to
 * within their error. Nothing may be reported. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    double largest = strtod(argv[1], NULL);
    for (int i = 2; i < argc; i++) {
        double next = strtod(argv[i], NULL);
        largest = largest < next ? next : largest;
    }
    printf("%.17g\n", largest);
    return 0;
}
