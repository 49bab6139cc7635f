/* Sums that are a unit too small decide; signs and selections between them and the decision are not to blame. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **words) {
    double x = atof(words[2]), sum = 0, largest = 0;
    for (int i = 0; i < 10; i++)
        sum += x; /* CAUSE */
    const char *way = words[1];
    if (!strcmp(way, "magnitude"))
        puts(fabs(sum) >= 1 ? "1 or more" : "less"); /* REACHED magnitude */
    else if (!strcmp(way, "opposite"))
        puts(-sum <= -x * 10 ? "1 or more" : "less"); /* REACHED opposite */
    else {
        for (int i = 0; i < 3; i++)
            largest = fmax(largest, copysign(sum, i - 1));
        puts(largest >= 1 ? "1 or more" : "less"); /* REACHED selected */
    }
    printf("%g\n", sum);
    return count < 3;
}
