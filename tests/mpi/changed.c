/* Rank 0 changes a buffer while MPI sends it, which is forbidden, and then sends another message with the same tag. The last rank prints a
 * number of each; the second is wrong because of line PLANTED. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define MANY (1 << 20)
static double large[MANY], small[8];

int main(int count, char **arguments) {
    int rank, ranks;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0) {
        MPI_Request request;
        double x = atof(arguments[1]);
        small[0] = (1 + (x + 1e16)) - 1e16; /* PLANTED */
        for (int i = 0; i < MANY; i++) large[i] = small[0] + i;
        MPI_Isend(large, MANY, MPI_DOUBLE, ranks - 1, 7, MPI_COMM_WORLD, &request);
        large[1] += 1;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Send(small, 8, MPI_DOUBLE, ranks - 1, 7, MPI_COMM_WORLD);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == ranks - 1) {
            MPI_Recv(large, MANY, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(small, 8, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            printf("%.17g\n", large[0]);
            printf("%.17g\n", small[0]);
        }
    }
    MPI_Finalize();
    return 0;
}
