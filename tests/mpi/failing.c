/* The rank that the argument names prints a sum that lost 1, and fails while the others wait for it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == atoi(argv[1])) {
        printf("%g\n", (1 + (atof(argv[2]) + 1e16)) - 1e16);
        exit(7);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
