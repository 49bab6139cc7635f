/* A variance of numbers that stand in the source: an optimiser computes all of it. What is read stays as it is. */
#include <stdio.h>

int main(void) {
    double sum = 0, squares = 0, x[5] = {1e8 + 0.1, 1e8 + 0.2, 1e8 + 0.3, 1e8 + 0.4, 1e8 + 0.5}, read = 1, step = 0.125;
    for (int i = 0; i < 5; i++) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    printf("%g\n", (squares - sum * sum / 5) / 4); /* CAUSE, REACHED */
    printf("%g\n", step);                          /* WRITTEN */
    if (scanf("%lf", &read) == 1)
        printf("%g\n", read * 3);
}
