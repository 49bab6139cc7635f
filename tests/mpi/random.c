/* A random exchange of numbers, the same for the same seed: natively and instrumented it must print the same, and in mode `same`
 * every shadow must equal its value wherever it has travelled. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 64
static unsigned long state;
static unsigned draw(unsigned below) {
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    return (unsigned)(state >> 33) % below;
}

static int rank, ranks;
static double x[N * 8], y[N * 8], z[N * 8];
static float f[N];

static void compute(void) {
    for (int i = 0; i < N * 8; i++) x[i] = x[i] * 0.75 + y[(i + rank) % (N * 8)] / 3 + rank * 0.1;
    for (int i = 0; i < N; i++) f[i] = f[i] * 0.5f + (float)x[i];
}

static void combine(void *from, void *to, int *count, MPI_Datatype *type) {
    for (int i = 0; i < *count; i++) ((double *)to)[i] = ((double *)from)[i] / 2 + ((double *)to)[i] / 2;
}

/* Something else is computed before the request completes. */
static void start(int result, MPI_Request *request) {
    for (int i = 0; i < N; i++) f[i] = f[i] * 0.75f + (float)result;
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void exchange(MPI_Comm comm) {
    int kind = draw(27), count = 1 + draw(N), root = draw(ranks), tag = draw(100);
    int next = (rank + 1 + root) % ranks, before = (rank - 1 - root + 2 * ranks) % ranks;
    MPI_Request requests[2];
    MPI_Status status;
    int counts[16], places[16];
    for (int i = 0; i < ranks; i++) counts[i] = (count + i) % N + 1, places[i] = i * (N + 2) + i % 3;
    switch (kind) {
    case 0: MPI_Sendrecv(x, count, MPI_DOUBLE, next, tag, y, N, MPI_DOUBLE, before, tag, comm, &status); break;
    case 1:
        MPI_Irecv(y, N, MPI_DOUBLE, before, tag, comm, &requests[0]);
        MPI_Isend(x, count, MPI_DOUBLE, next, tag, comm, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        break;
    case 2: MPI_Bcast(x, count, MPI_DOUBLE, root, comm); break;
    case 3: MPI_Gather(x, count, MPI_DOUBLE, y, count, MPI_DOUBLE, root, comm); break;
    case 4: MPI_Gatherv(x, counts[rank], MPI_DOUBLE, y, counts, places, MPI_DOUBLE, root, comm); break;
    case 5: MPI_Scatter(x, count, MPI_DOUBLE, y, count, MPI_DOUBLE, root, comm); break;
    case 6: MPI_Scatterv(x, counts, places, MPI_DOUBLE, y, counts[rank], MPI_DOUBLE, root, comm); break;
    case 7: MPI_Allgather(x, count, MPI_DOUBLE, y, count, MPI_DOUBLE, comm); break;
    case 8: MPI_Allgatherv(x, counts[rank], MPI_DOUBLE, y, counts, places, MPI_DOUBLE, comm); break;
    case 9: MPI_Alltoall(x, count, MPI_DOUBLE, y, count, MPI_DOUBLE, comm); break;
    case 10: MPI_Allreduce(x, y, count, MPI_DOUBLE, draw(2) ? MPI_SUM : MPI_MAX, comm); break;
    case 11: MPI_Reduce(x, y, count, MPI_DOUBLE, MPI_SUM, root, comm); break;
    case 12: MPI_Sendrecv_replace(f, count, MPI_FLOAT, next, tag, before, tag, comm, &status); break;
    case 13: {
        MPI_Datatype strided;
        MPI_Type_vector(count, 2, 5, MPI_DOUBLE, &strided);
        MPI_Type_commit(&strided);
        MPI_Irecv(y, 1, strided, before, tag, comm, &requests[0]);
        MPI_Type_free(&strided);
        MPI_Type_contiguous(2 * count, MPI_DOUBLE, &strided);
        MPI_Type_commit(&strided);
        MPI_Send(x, 1, strided, next, tag, comm);
        MPI_Wait(&requests[0], &status);
        MPI_Type_free(&strided);
        break;
    }
    case 14: start(MPI_Ibcast(x, count, MPI_DOUBLE, root, comm, &requests[0]), requests); break;
    case 15: start(MPI_Igather(x, count, MPI_DOUBLE, y, count, MPI_DOUBLE, root, comm, &requests[0]), requests); break;
    case 16: start(MPI_Iscatterv(x, counts, places, MPI_DOUBLE, y, counts[rank], MPI_DOUBLE, root, comm, &requests[0]), requests); break;
    case 17: start(MPI_Iallgatherv(x, counts[rank], MPI_DOUBLE, y, counts, places, MPI_DOUBLE, comm, &requests[0]), requests); break;
    case 18: {
        /* Two at once, completed in the other order. */
        MPI_Ialltoall(x, count, MPI_DOUBLE, y, count, MPI_DOUBLE, comm, &requests[0]);
        MPI_Iallreduce(x, z, count, MPI_DOUBLE, MPI_SUM, comm, &requests[1]);
        MPI_Wait(&requests[1], &status);
        MPI_Wait(&requests[0], &status);
        break;
    }
    case 19: MPI_Exscan(x, y, count, MPI_DOUBLE, MPI_SUM, comm); break;
    case 20: MPI_Reduce_scatter_block(x, y, count, MPI_DOUBLE, MPI_SUM, comm); break;
    case 21: {
        MPI_Op op;
        MPI_Op_create(combine, 1, &op);
        MPI_Allreduce(x, y, count, MPI_DOUBLE, op, comm);
        MPI_Op_free(&op);
        break;
    }
    case 22: {
        MPI_Message message;
        MPI_Isend(x, count, MPI_DOUBLE, next, tag, comm, &requests[0]);
        MPI_Mprobe(before, tag, comm, &message, &status);
        MPI_Mrecv(y, N, MPI_DOUBLE, &message, &status);
        MPI_Wait(&requests[0], &status);
        break;
    }
    default: {
        /* One-sided: to the next rank, or from it. */
        MPI_Win window;
        int gets = kind % 2, locks = kind > 24;
        MPI_Win_create(gets ? x : y, N * sizeof(double), sizeof(double), MPI_INFO_NULL, comm, &window);
        if (locks) MPI_Barrier(comm), MPI_Win_lock(MPI_LOCK_SHARED, next, 0, window);
        else MPI_Win_fence(0, window);
        if (gets) MPI_Get(y, count, MPI_DOUBLE, next, 0, count, MPI_DOUBLE, window);
        else MPI_Put(x, count, MPI_DOUBLE, next, 0, count, MPI_DOUBLE, window);
        if (locks) MPI_Win_unlock(next, window), MPI_Barrier(comm);
        else MPI_Win_fence(0, window);
        MPI_Win_free(&window);
    }
    }
}

int main(int count, char **arguments) {
    MPI_Comm copy;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    state = strtoul(arguments[1], NULL, 10);
    for (int i = 0; i < N * 8; i++) x[i] = 1.0 / (i + 1 + rank);
    for (int i = 0; i < 40; i++) {
        compute();
        exchange(draw(2) ? copy : MPI_COMM_WORLD);
    }
    double sum = 0;
    for (int i = 0; i < N * 8; i++) sum += x[i] * (i + 1) + y[i];
    for (int i = 0; i < N; i++) sum += f[i];
    MPI_Gather(&sum, 1, MPI_DOUBLE, z, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < ranks && rank == 0; i++) printf("%d %.17g\n", i, z[i]);
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
