/* Diffusion on a square, split into strips: each step exchanges rows with both neighbours and computes; every tenth step all ranks
 * add up what is left.
 *   halo [SIZE [STEPS]] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments) {
    int rank, ranks, size = count > 1 ? atoi(arguments[1]) : 256, steps = count > 2 ? atoi(arguments[2]) : 200;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int rows = size / ranks, up = rank ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    double *now = calloc((size_t)(rows + 2) * size, sizeof *now), *next = calloc((size_t)(rows + 2) * size, sizeof *next), total = 0;
    for (int i = 1; i <= rows; i++)
        for (int j = 1; j < size - 1; j++) now[i * size + j] = 1.0 / (1 + i + rank * rows) + 0.1 * j;
    for (int step = 0; step < steps; step++) {
        MPI_Request requests[4];
        MPI_Irecv(now, size, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(now + (rows + 1) * size, size, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(now + size, size, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(now + rows * size, size, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        for (int i = 1; i <= rows; i++)
            for (int j = 1; j < size - 1; j++) {
                double *at = now + i * size + j;
                next[i * size + j] = *at + 0.2 * (at[-1] + at[1] + at[-size] + at[size] - 4 * *at);
            }
        double *old = now;
        now = next;
        next = old;
        if (step % 10 == 9) {
            double sum = 0;
            for (int i = 1; i <= rows; i++)
                for (int j = 1; j < size - 1; j++) sum += now[i * size + j];
            MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }
    }
    if (rank == 0) printf("%.10g\n", total);
    MPI_Finalize();
    return 0;
}
