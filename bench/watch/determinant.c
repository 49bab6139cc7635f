/* The shape of 183.equake (Bao and Zhang, Table 2): the sign of a determinant decides. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    double x = strtod(argv[1], NULL);
    double det = 2.92 * 7.58;
    double t1 = 2.92 * (-8.721867807 * x);
    det = det + t1;
    double t2 = 2.92 * (x - x * 1.0);
    det = det + t2;
    double volume = det / 6;
    puts(volume <= 0 ? "inverted" : "upright");
    return 0;
}
