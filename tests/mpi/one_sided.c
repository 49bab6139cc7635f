/* Rank 0 computes a wrong number, which reaches rank 1 without a receive: by `put` or `get`. What is printed is not judged. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments) {
    int rank;
    double own[2] = {0, 0}, window_memory[2] = {0, 0};
    MPI_Win window;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(window_memory, sizeof window_memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    int puts = !strcmp(arguments[1], "put");
    double x = atof(arguments[2]), wrong = (1 + (x + 1e16)) - 1e16;
    if (rank == 0) (puts ? own : window_memory)[0] = wrong;
    MPI_Win_fence(0, window);
    if (puts && rank == 0) MPI_Put(own, 2, MPI_DOUBLE, 1, 0, 2, MPI_DOUBLE, window);
    if (!puts && rank == 1) MPI_Get(own, 2, MPI_DOUBLE, 0, 0, 2, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    if (rank == 1) printf("%.17g\n", (puts ? window_memory : own)[0]);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
