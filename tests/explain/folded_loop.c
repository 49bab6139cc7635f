/* How often a loop runs is computed by the optimiser, too; no number is put out. */
#include <stdio.h>

int main(void) {
    int times = 0;
    for (double t = 0; t < 10; t += 0.2) /* CAUSE, REACHED */
        times++;
    printf("%d\n", times);
}
