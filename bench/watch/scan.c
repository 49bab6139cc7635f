/* The shape of 187.facerec (Figure 7): the place of best fit, at a coarse step and then at a fine one around it.
 * The fine scan meets the best place again: the same computation on the same operands. */
#include <stdio.h>
#include <stdlib.h>

static double fit(int place, double x) {
    double sum = 0;
    for (int i = 1; i <= 6; i++) {
        double away = place * 0.125 - x * i;
        sum = sum + away * away / i;
    }
    return 30 / (1 + sum);
}

int main(int argc, char **argv) {
    double x = strtod(argv[1], NULL);
    int best = 0;
    double similarity = 0;
    for (int place = 0; place <= 32; place += 4) {
        double current = fit(place, x);
        if (current > similarity) {
            similarity = current;
            best = place;
        }
    }
    int from = best - 2, to = best + 2;
    for (int place = from; place <= to; place++) {
        double current = fit(place, x);
        if (current > similarity) {
            similarity = current;
            best = place;
        }
    }
    printf("%d\n", best);
    return 0;
}
