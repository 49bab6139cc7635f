/* Reads a step, and goes ten of them from 0. Ten tenths are not quite one in doubles; exactly, ten times the
 * double that is nearest to a tenth are a little more. */
#include <stdio.h>

int main(void) {
    double step, way = 0;
    if (scanf("%lf", &step) != 1)
        return 2;
    for (int i = 0; i < 10; i++)
        way += step;
    printf("way %.17g\n", way);
    if (way < 1) /* UNSTABLE */
        printf("not there yet\n");
    printf("%d tenths\n", (int)(way * 10)); /* UNSTABLE */
    return 0;
}
