/* Stencil: heat in two dimensions, explicit steps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 384 };
static double grid[2][SIDE][SIDE];

static double step(const double (*now)[SIDE], double (*next)[SIDE], double rate) {
    double change = 0;
    for (int i = 1; i < SIDE - 1; i++)
        for (int j = 1; j < SIDE - 1; j++) {
            double flow = now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1] - 4 * now[i][j];
            next[i][j] = now[i][j] + rate * flow;
        }
    for (int i = 1; i < SIDE - 1; i += 16) change += fabs(next[i][i] - now[i][i]);
    return change;
}

int main(int argc, char **argv) {
    int steps = argc > 1 ? atoi(argv[1]) : 3000;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) grid[0][i][j] = grid[1][i][j] = i == 0 ? 100 : sin(0.05 * i) * cos(0.03 * j);
    double change = 0;
    for (int s = 0; s < steps; s++) change = step(grid[s & 1], grid[~s & 1], 0.2);
    double sum = 0;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) sum += grid[steps & 1][i][j];
    printf("stencil %.17g %.17g\n", sum, change);
    return 0;
}
