// args: 0.1 100000
// A sum that a loud cancellation and a quiet accumulation feed.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    double tenth = atof(argv[1]);
    int n = atoi(argv[2]);
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double noise = (tenth + i) - i;
        sum += noise * 1e-9;
        sum += tenth;
    }
    printf("%.17g\n", sum);
    return argc > 99;
}
