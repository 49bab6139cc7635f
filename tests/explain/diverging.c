// The program's value stays where it is while the real one leaves first the floats, then the doubles.
#include <stdio.h>
#include <stdlib.h>

static float kept[2];

int main(int argc, char **argv) {
    float small = strtof(argv[1], NULL);
    kept[0] = (1.0f + small) - 1.0f; // CAUSE
    for (int i = 0; i < atoi(argv[2]); i++) kept[(i + 1) % 2] = 2 * kept[i % 2];
    printf("%.9g\n", kept[0]); // REACHED
    printf("%.9g\n", small);
    return 0;
}
