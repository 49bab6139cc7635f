/* Mandelbrot: escape times on a grid. */
#include <stdio.h>
#include <stdlib.h>

static int escape(double cx, double cy, int limit) {
    double x = 0, y = 0, xx = 0, yy = 0;
    int n = 0;
    while (n < limit && xx + yy < 4.0) {
        y = 2 * x * y + cy;
        x = xx - yy + cx;
        xx = x * x;
        yy = y * y;
        n++;
    }
    return n;
}

int main(int argc, char **argv) {
    int side = argc > 1 ? atoi(argv[1]) : 640;
    long total = 0;
    unsigned hash = 0;
    for (int row = 0; row < side; row++)
        for (int col = 0; col < side; col++) {
            int n = escape(-2.0 + 2.6 * col / side, -1.3 + 2.6 * row / side, 1000);
            total += n;
            hash = hash * 31u + (unsigned)n;
        }
    printf("mandelbrot %ld %08x\n", total, hash);
    return 0;
}
