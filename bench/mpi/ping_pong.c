/* Two ranks send numbers to and fro: microseconds of one round, for each size. The least of several batches counts, since
 * other processes only add to it.
 *   ping_pong [ROUNDS] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST (1 << 17)
#define BATCHES 40
static double numbers[MOST];

int main(int count, char **arguments) {
    int rank, rounds = count > 1 ? atoi(arguments[1]) : 200;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < MOST; i++) numbers[i] = 1.0 / (i + 3) + rank;
    for (int size = 1; size <= MOST; size *= size < 8 ? 8 : 16) {
        int times = size > 1024 ? 2 : rounds;
        double least = 1e9;
        for (int batch = 0; batch < BATCHES; batch++) {
            MPI_Barrier(MPI_COMM_WORLD);
            double start = MPI_Wtime();
            for (int i = 0; i < times; i++) {
                if (rank == 0) {
                    numbers[i % size] *= 1 + 1e-9;
                    MPI_Send(numbers, size, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
                }
                MPI_Recv(numbers, size, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                if (rank == 1) MPI_Send(numbers, size, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
            }
            double took = (MPI_Wtime() - start) / times;
            if (took < least) least = took;
        }
        if (rank == 0) fprintf(stderr, "time %d %.9g\n", size * 8, least * 1e6);
    }
    if (rank == 0) printf("%.17g\n", numbers[0]);
    MPI_Finalize();
    return 0;
}
