/* Rank 0 computes 0.3 with an error: `x` is 0. It goes to the last rank in the way that the argument names, and is printed there.
 * The cause is on line PLANTED, in another process than the output. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 8
static int rank, ranks, last;
static double a[N * 16], b[N * 16];

struct mixed {
    int number;
    double value;
    float small[2];
};

struct located {
    double value;
    int rank;
};

/* An operation of the program's own. */
static void add_halves(void *from, void *to, int *count, MPI_Datatype *type) {
    for (int i = 0; i < *count; i++) ((double *)to)[i] += ((double *)from)[i];
}

static void deliver(const char *way) {
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Request requests[4];
    MPI_Status status;
    int counts[16], places[16];
    for (int i = 0; i < ranks; i++) counts[i] = i + 1, places[i] = i * N;
    if (!strcmp(way, "send")) {
        if (rank == 0) MPI_Send(a, N, MPI_DOUBLE, last, 7, world);
        if (rank == last) MPI_Recv(b, N, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
    } else if (!strcmp(way, "nonblocking")) {
        /* Completed in the other order. */
        if (rank == 0) {
            MPI_Isend(a + 1, N - 1, MPI_DOUBLE, last, 7, world, &requests[0]);
            MPI_Isend(a, N, MPI_DOUBLE, last, 7, world, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
        if (rank == last) {
            MPI_Irecv(b + N, N, MPI_DOUBLE, 0, 7, world, &requests[0]);
            MPI_Irecv(b, N, MPI_DOUBLE, 0, 7, world, &requests[1]);
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
            MPI_Wait(&requests[0], &status);
        }
    } else if (!strcmp(way, "persistent")) {
        if (rank == 0) MPI_Send_init(a, N, MPI_DOUBLE, last, 1, world, &requests[0]);
        if (rank == last) MPI_Recv_init(b, N, MPI_DOUBLE, 0, 1, world, &requests[0]);
        for (int i = 0; i < 3 && (rank == 0 || rank == last); i++) {
            MPI_Start(&requests[0]);
            MPI_Wait(&requests[0], &status);
        }
        if (rank == 0 || rank == last) MPI_Request_free(&requests[0]);
    } else if (!strcmp(way, "sendrecv")) {
        MPI_Sendrecv(a, N, MPI_DOUBLE, (rank + last) % ranks, 2, b, N, MPI_DOUBLE, (rank + 1) % ranks, 2, world, &status);
    } else if (!strcmp(way, "vector")) {
        MPI_Datatype every_second;
        MPI_Type_vector(N / 2, 1, 2, MPI_DOUBLE, &every_second);
        MPI_Type_commit(&every_second);
        if (rank == 0) MPI_Send(a, 1, every_second, last, 7, world);
        if (rank == last) MPI_Recv(b, N / 2, MPI_DOUBLE, 0, 7, world, &status);
        MPI_Type_free(&every_second);
    } else if (!strcmp(way, "structure")) {
        struct mixed one = {0, 0, {0, 0}};
        MPI_Datatype parts[3] = {MPI_INT, MPI_DOUBLE, MPI_FLOAT}, type;
        int lengths[3] = {1, 1, 2};
        MPI_Aint offsets[3] = {0, offsetof(struct mixed, value), offsetof(struct mixed, small)};
        MPI_Type_create_struct(3, lengths, offsets, parts, &type);
        MPI_Type_commit(&type);
        if (rank == 0) {
            one.value = a[0];
            one.small[1] = (float)a[0];
            MPI_Send(&one, 1, type, last, 7, world);
        }
        if (rank == last) {
            MPI_Recv(&one, 1, type, 0, 7, world, &status);
            b[0] = one.value;
        }
        MPI_Type_free(&type);
    } else if (!strcmp(way, "bytes")) {
        if (rank == 0) MPI_Send(a, sizeof(double) * N, MPI_BYTE, last, 7, world);
        if (rank == last) MPI_Recv(b, sizeof(double) * N, MPI_BYTE, 0, 7, world, MPI_STATUS_IGNORE);
    } else if (!strcmp(way, "broadcast")) {
        memcpy(b, a, sizeof a);
        MPI_Bcast(b, N, MPI_DOUBLE, 0, world);
    } else if (!strcmp(way, "scatter")) {
        for (int i = 0; i < ranks; i++) memcpy(a + i * N, a, N * sizeof *a);
        MPI_Scatter(a, N, MPI_DOUBLE, b, N, MPI_DOUBLE, 0, world);
    } else if (!strcmp(way, "scatterv")) {
        for (int i = 0; i < ranks; i++) memcpy(a + i * N, a, N * sizeof *a);
        MPI_Scatterv(a, counts, places, MPI_DOUBLE, b, rank + 1, MPI_DOUBLE, 0, world);
    } else if (!strcmp(way, "gather")) {
        MPI_Gather(a, N, MPI_DOUBLE, b, N, MPI_DOUBLE, last, world);
    } else if (!strcmp(way, "gatherv")) {
        MPI_Gatherv(a, rank + 1, MPI_DOUBLE, b, counts, places, MPI_DOUBLE, last, world);
    } else if (!strcmp(way, "allgather")) {
        MPI_Allgather(a, N, MPI_DOUBLE, b, N, MPI_DOUBLE, world);
    } else if (!strcmp(way, "alltoall")) {
        for (int i = 0; i < ranks; i++) memcpy(a + i * N, a, N * sizeof *a);
        MPI_Alltoall(a, N, MPI_DOUBLE, b, N, MPI_DOUBLE, world);
    } else if (!strcmp(way, "split")) {
        MPI_Comm part;
        MPI_Comm_split(world, rank == 0 || rank == last, rank, &part);
        memcpy(b, a, sizeof a);
        if (rank == 0 || rank == last) MPI_Bcast(b, N, MPI_DOUBLE, 0, part);
        MPI_Comm_free(&part);
    } else if (!strcmp(way, "sum")) {
        MPI_Reduce(a, b, N, MPI_DOUBLE, MPI_SUM, last, world);
    } else if (!strcmp(way, "allsum")) {
        memcpy(b, a, sizeof a);
        MPI_Allreduce(MPI_IN_PLACE, b, N, MPI_DOUBLE, MPI_SUM, world);
    } else if (!strcmp(way, "maximum")) {
        MPI_Allreduce(a, b, N, MPI_DOUBLE, MPI_MAX, world);
    } else if (!strcmp(way, "largest")) {
        struct located own = {a[0], rank}, found;
        MPI_Allreduce(&own, &found, 1, MPI_DOUBLE_INT, MPI_MAXLOC, world);
        b[0] = found.value;
    } else if (!strcmp(way, "prefix")) {
        MPI_Exscan(a, b, N, MPI_DOUBLE, MPI_SUM, world);
    } else if (!strcmp(way, "blocks")) {
        for (int i = 1; i < ranks; i++) memcpy(a + i * N, a, N * sizeof *a);
        MPI_Reduce_scatter_block(a, b, N, MPI_DOUBLE, MPI_SUM, world);
    } else if (!strcmp(way, "own")) {
        MPI_Op op;
        MPI_Op_create(add_halves, 1, &op);
        MPI_Allreduce(a, b, N, MPI_DOUBLE, op, world);
        MPI_Op_free(&op);
    } else if (!strcmp(way, "complex")) {
        MPI_Allreduce(a, b, N / 2, MPI_C_DOUBLE_COMPLEX, MPI_SUM, world);
    } else if (!strcmp(way, "ibroadcast")) {
        memcpy(b, a, sizeof a);
        MPI_Ibcast(b, N, MPI_DOUBLE, 0, world, &requests[0]);
        MPI_Wait(&requests[0], &status);
    } else if (!strcmp(way, "iscatter")) {
        for (int i = 1; i < ranks; i++) memcpy(a + i * N, a, N * sizeof *a);
        MPI_Iscatter(a, N, MPI_DOUBLE, b, N, MPI_DOUBLE, 0, world, &requests[0]);
        MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
    } else if (!strcmp(way, "igatherv")) {
        MPI_Igatherv(a, rank + 1, MPI_DOUBLE, b, counts, places, MPI_DOUBLE, last, world, &requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    } else if (!strcmp(way, "iallgather")) {
        /* Two at once, completed in the other order. */
        MPI_Iallgather(a + 1, 1, MPI_DOUBLE, b + N * 8, 1, MPI_DOUBLE, world, &requests[0]);
        MPI_Iallgather(a, N, MPI_DOUBLE, b, N, MPI_DOUBLE, world, &requests[1]);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    } else if (!strcmp(way, "ialltoall")) {
        for (int i = 1; i < ranks; i++) memcpy(a + i * N, a, N * sizeof *a);
        MPI_Ialltoall(a, N, MPI_DOUBLE, b, N, MPI_DOUBLE, world, &requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    } else if (!strcmp(way, "iallsum")) {
        double c[N];
        MPI_Iallreduce(a + 1, c, 1, MPI_DOUBLE, MPI_SUM, world, &requests[0]);
        MPI_Iallreduce(a, b, N, MPI_DOUBLE, MPI_SUM, world, &requests[1]);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    } else if (!strcmp(way, "matched")) {
        MPI_Message message;
        if (rank == 0) MPI_Send(a, N, MPI_DOUBLE, last, 7, world);
        if (rank == last) {
            MPI_Mprobe(0, MPI_ANY_TAG, world, &message, &status);
            MPI_Mrecv(b, N, MPI_DOUBLE, &message, &status);
        }
    } else if (!strcmp(way, "packed")) {
        char text[256];
        int at = 0;
        if (rank == 0) {
            MPI_Pack(a, N, MPI_DOUBLE, text, sizeof text, &at, world);
            MPI_Send(text, at, MPI_PACKED, last, 7, world);
        }
        if (rank == last) {
            MPI_Recv(text, sizeof text, MPI_PACKED, 0, 7, world, &status);
            MPI_Unpack(text, sizeof text, &at, b, N, MPI_DOUBLE, world);
        }
    } else if (!strcmp(way, "put") || !strcmp(way, "get") || !strcmp(way, "replace") || !strcmp(way, "locked")) {
        MPI_Win window;
        int gets = !strcmp(way, "get");
        MPI_Win_create(gets ? a : b, N * sizeof(double), sizeof(double), MPI_INFO_NULL, world, &window);
        if (!strcmp(way, "locked")) {
            if (rank == 0) {
                MPI_Win_lock(MPI_LOCK_EXCLUSIVE, last, 0, window);
                MPI_Put(a, N, MPI_DOUBLE, last, 0, N, MPI_DOUBLE, window);
                MPI_Win_unlock(last, window);
            }
            MPI_Barrier(world);
        } else {
            MPI_Win_fence(0, window);
            if (!strcmp(way, "put") && rank == 0) MPI_Put(a, N, MPI_DOUBLE, last, 0, N, MPI_DOUBLE, window);
            if (!strcmp(way, "replace") && rank == 0) MPI_Accumulate(a, N, MPI_DOUBLE, last, 0, N, MPI_DOUBLE, MPI_REPLACE, window);
            if (gets && rank == last) MPI_Get(b, N, MPI_DOUBLE, 0, 0, N, MPI_DOUBLE, window);
            MPI_Win_fence(0, window);
        }
        MPI_Win_free(&window);
    } else {
        MPI_Abort(world, 2);
    }
}

int main(int count, char **arguments) {
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    last = ranks - 1;
    if (rank == 0) {
        double x = atof(arguments[2]);
        a[0] = (1 + (x + 1e16)) - 1e16; /* PLANTED */
        for (int i = 1; i < N; i++) a[i] = a[0] + i * x;
    }
    deliver(arguments[1]);
    if (rank == last) printf("%.17g\n", b[0]);
    MPI_Finalize();
    return 0;
}
