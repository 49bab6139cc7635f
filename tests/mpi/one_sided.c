/* Rank 0 computes a wrong number, which is added to memory of rank 1 without a receive. What is printed is not judged. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments) {
    int rank;
    double own[2] = {0, 0}, window_memory[2] = {0, 0};
    MPI_Win window;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(window_memory, sizeof window_memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    double x = atof(arguments[1]), wrong = (1 + (x + 1e16)) - 1e16;
    if (rank == 0) own[0] = wrong;
    MPI_Win_fence(0, window);
    if (rank == 0) MPI_Accumulate(own, 2, MPI_DOUBLE, 1, 0, 2, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_fence(0, window);
    if (rank == 1) printf("%.17g\n", window_memory[0]);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
