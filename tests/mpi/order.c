/* The sum over all ranks cancels: what MPI's order of additions rounds is all of the error, and depends on the number of ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments) {
    int rank, ranks;
    double sum;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double x = atof(arguments[1]);
    /* What each rank contributes is exact, and all together make 6. */
    double own = rank == 0 ? x : rank == ranks - 1 ? -x : 6.0 / (ranks - 2);
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* PLANTED */
    if (rank == 0) printf("%.17g\n", sum);
    MPI_Finalize();
    return 0;
}
