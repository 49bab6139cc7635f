// Jacobi's iteration for Laplace's equation with fixed values on one side.
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 256 };
static double grid[2][SIDE][SIDE];

int main(int argc, char **argv) {
    int steps = argc > 1 ? atoi(argv[1]) : 60000;
    for (int j = 0; j < SIDE; j++) grid[0][0][j] = grid[1][0][j] = 1 + 0.1 * j;
    for (int step = 0; step < steps; step++) {
        double(*from)[SIDE] = grid[step & 1], (*to)[SIDE] = grid[~step & 1];
        for (int i = 1; i < SIDE - 1; i++)
            for (int j = 1; j < SIDE - 1; j++)
                to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
    }
    double sum = 0;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) sum += grid[steps & 1][i][j];
    printf("%.12g\n", sum);
}
