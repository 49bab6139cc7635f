/* What a loop computes again and again is computed before it, or for several turns at once. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static double orbit(double e, int turns) {
    double b, sum = 0;
    for (int i = 0; i < turns; i++) {
        b = sqrt(1 - e * e); // CAUSE root
        sum += b;
    }
    return sum;
}

__attribute__((noinline)) static void scale(double *to, double e, int count) {
    for (int i = 0; i < count; i++)
        to[i] = to[i] * ((e + 0.1) - e); // CAUSE scale
}

__attribute__((noinline)) static double choose(double e, int turns) {
    double sum = 0;
    for (int i = 0; i < turns; i++)
        sum = turns > 100 ? sum + 1 : (e + 0.2) - e; // CAUSE choose
    return sum;
}

int main(int argc, char **argv) {
    double e = atof(argv[2]), list[64];
    int turns = atoi(argv[3]);
    for (int i = 0; i < 64; i++)
        list[i] = i + 1;
    if (argv[1][0] == 'r') {
        printf("%.17g\n", orbit(e, turns)); // REACHED root
    } else if (argv[1][0] == 's') {
        scale(list, e, turns);
        printf("scaled %.17g\n", list[turns / 2]); // REACHED scale
    } else
        printf("chosen %.17g\n", choose(e, turns)); // REACHED choose
}
