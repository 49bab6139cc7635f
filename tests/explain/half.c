/* Half precision in memory. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    _Float16 x = (_Float16)atof(argv[1]), one = 1;
    _Float16 sum = one + x;
    _Float16 lost = sum - one; // CAUSE
    _Float16 list[3] = {one, lost, x};
    printf("%.5g\n", (double)list[argc - 1]); // REACHED
    printf("%.5g\n", (double)list[argc]);
}
