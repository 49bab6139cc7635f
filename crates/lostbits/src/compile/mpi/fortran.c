/* ---- Fortran under Open MPI, whose Fortran functions call PMPI: they are replaced by calls of the functions above ----
 *
 * MPICH's Fortran functions call MPI's C functions, and so reach this layer by themselves. What it can miss: the module `mpi_f08`, whose
 * functions have other names; compilers that do not append one underscore to lower-case names. */

#ifdef OPEN_MPI
typedef MPI_Fint integer;
_Static_assert(sizeof(integer) == sizeof(int), "Open MPI was built for Fortran integers of another size: set LOSTBITS_MPI=off");
extern char mpi_fortran_in_place_, mpi_fortran_bottom_;

static void *address(void *at) {
    return at == &mpi_fortran_in_place_ ? MPI_IN_PLACE : at == &mpi_fortran_bottom_ ? MPI_BOTTOM : at;
}
#define COMM(X) MPI_Comm_f2c(*X)
#define TYPE(X) MPI_Type_f2c(*X)
#define OPERATION(X) MPI_Op_f2c(*X)

/* What makes communicators is left to Open MPI. */
#define MAKES_FORTRAN(NAME, PARAMETERS, ARGUMENTS)                      \
    extern void pmpi_##NAME##_ PARAMETERS __attribute__((weak));        \
    void mpi_##NAME##_ PARAMETERS {                                     \
        pmpi_##NAME##_ ARGUMENTS;                                       \
        if (*error == MPI_SUCCESS) adopt(COMM(made));                   \
    }
MAKES_FORTRAN(comm_dup, (integer * comm, integer *made, integer *error), (comm, made, error))
MAKES_FORTRAN(comm_split, (integer * comm, integer *color, integer *key, integer *made, integer *error), (comm, color, key, made, error))
MAKES_FORTRAN(comm_split_type, (integer * comm, integer *type, integer *key, integer *info, integer *made, integer *error),
              (comm, type, key, info, made, error))
MAKES_FORTRAN(comm_create, (integer * comm, integer *group, integer *made, integer *error), (comm, group, made, error))
MAKES_FORTRAN(comm_create_group, (integer * comm, integer *group, integer *tag, integer *made, integer *error),
              (comm, group, tag, made, error))
MAKES_FORTRAN(cart_create, (integer * comm, integer *n, integer *dims, integer *periods, integer *reorder, integer *made, integer *error),
              (comm, n, dims, periods, reorder, made, error))
MAKES_FORTRAN(cart_sub, (integer * comm, integer *remains, integer *made, integer *error), (comm, remains, made, error))

void mpi_init_(integer *error) { *error = MPI_Init(NULL, NULL); }
void mpi_init_thread_(integer *required, integer *provided, integer *error) {
    *error = MPI_Init_thread(NULL, NULL, *required, provided);
}
void mpi_finalize_(integer *error) { *error = MPI_Finalize(); }
void mpi_comm_free_(integer *comm, integer *error) {
    MPI_Comm freed = COMM(comm);
    *error = MPI_Comm_free(&freed);
    *comm = MPI_Comm_c2f(freed);
}

static void give_status(const MPI_Status *status, integer *to) {
    if (to != MPI_F_STATUS_IGNORE) PMPI_Status_c2f(status, to);
}

#define FORTRAN_SEND(NAME, C_NAME)                                                                                              \
    void mpi_##NAME##_(void *buffer, integer *count, integer *type, integer *to, integer *tag, integer *comm, integer *error) { \
        *error = MPI_##C_NAME(address(buffer), *count, TYPE(type), *to, *tag, COMM(comm));                                      \
    }
FORTRAN_SEND(send, Send)
FORTRAN_SEND(ssend, Ssend)
FORTRAN_SEND(rsend, Rsend)
FORTRAN_SEND(bsend, Bsend)

/* All that start or prepare a request. */
#define FORTRAN_REQUEST(NAME, C_NAME)                                                                                          \
    void mpi_##NAME##_(void *buffer, integer *count, integer *type, integer *peer, integer *tag, integer *comm,                \
                       integer *request, integer *error) {                                                                     \
        MPI_Request made = MPI_REQUEST_NULL;                                                                                   \
        *error = MPI_##C_NAME(address(buffer), *count, TYPE(type), *peer, *tag, COMM(comm), &made);                            \
        if (*error == MPI_SUCCESS) *request = MPI_Request_c2f(made);                                                           \
    }
FORTRAN_REQUEST(isend, Isend)
FORTRAN_REQUEST(issend, Issend)
FORTRAN_REQUEST(irsend, Irsend)
FORTRAN_REQUEST(ibsend, Ibsend)
FORTRAN_REQUEST(irecv, Irecv)
FORTRAN_REQUEST(send_init, Send_init)
FORTRAN_REQUEST(ssend_init, Ssend_init)
FORTRAN_REQUEST(rsend_init, Rsend_init)
FORTRAN_REQUEST(bsend_init, Bsend_init)
FORTRAN_REQUEST(recv_init, Recv_init)

void mpi_recv_(void *buffer, integer *count, integer *type, integer *from, integer *tag, integer *comm, integer *status, integer *error) {
    MPI_Status own;
    *error = MPI_Recv(address(buffer), *count, TYPE(type), *from, *tag, COMM(comm), &own);
    if (*error == MPI_SUCCESS) give_status(&own, status);
}

void mpi_sendrecv_(void *sent_buffer, integer *sent_count, integer *sent_type, integer *to, integer *sent_tag, void *buffer,
                   integer *count, integer *type, integer *from, integer *tag, integer *comm, integer *status, integer *error) {
    MPI_Status own;
    *error = MPI_Sendrecv(address(sent_buffer), *sent_count, TYPE(sent_type), *to, *sent_tag, address(buffer), *count, TYPE(type),
                          *from, *tag, COMM(comm), &own);
    if (*error == MPI_SUCCESS) give_status(&own, status);
}

void mpi_sendrecv_replace_(void *buffer, integer *count, integer *type, integer *to, integer *sent_tag, integer *from, integer *tag,
                           integer *comm, integer *status, integer *error) {
    MPI_Status own;
    *error = MPI_Sendrecv_replace(address(buffer), *count, TYPE(type), *to, *sent_tag, *from, *tag, COMM(comm), &own);
    if (*error == MPI_SUCCESS) give_status(&own, status);
}

/* Requests and statuses in C's form, and back. */
struct converted {
    MPI_Request *requests;
    MPI_Status *statuses;
};

static struct converted to_c(const integer *requests, int count) {
    size_t room = count > 0 ? count : 1;
    struct converted all = {malloc(room * sizeof(MPI_Request)), calloc(room, sizeof(MPI_Status))};
    for (int i = 0; i < count; i++) all.requests[i] = MPI_Request_f2c(requests[i]);
    return all;
}

static void to_fortran(struct converted all, integer *requests, int count, integer *statuses, int number) {
    for (int i = 0; i < count; i++) requests[i] = MPI_Request_c2f(all.requests[i]);
    for (int i = 0; i < number && statuses != MPI_F_STATUSES_IGNORE; i++)
        PMPI_Status_c2f(&all.statuses[i], statuses + i * (sizeof(MPI_Status) / sizeof(integer)));
    free(all.requests);
    free(all.statuses);
}

void mpi_start_(integer *request, integer *error) {
    MPI_Request one = MPI_Request_f2c(*request);
    *error = MPI_Start(&one);
    *request = MPI_Request_c2f(one);
}

void mpi_startall_(integer *count, integer *requests, integer *error) {
    struct converted all = to_c(requests, *count);
    *error = MPI_Startall(*count, all.requests);
    to_fortran(all, requests, *count, NULL, 0);
}

void mpi_request_free_(integer *request, integer *error) {
    MPI_Request one = MPI_Request_f2c(*request);
    *error = MPI_Request_free(&one);
    *request = MPI_Request_c2f(one);
}

void mpi_wait_(integer *request, integer *status, integer *error) {
    MPI_Status own;
    MPI_Request one = MPI_Request_f2c(*request);
    *error = MPI_Wait(&one, &own);
    if (*error != MPI_SUCCESS) return;
    *request = MPI_Request_c2f(one);
    give_status(&own, status);
}

void mpi_test_(integer *request, integer *flag, integer *status, integer *error) {
    MPI_Status own;
    MPI_Request one = MPI_Request_f2c(*request);
    *error = MPI_Test(&one, flag, &own);
    if (*error != MPI_SUCCESS || !*flag) return;
    *request = MPI_Request_c2f(one);
    give_status(&own, status);
}

void mpi_waitall_(integer *count, integer *requests, integer *statuses, integer *error) {
    struct converted all = to_c(requests, *count);
    *error = MPI_Waitall(*count, all.requests, all.statuses);
    to_fortran(all, requests, *count, statuses, *count);
}

void mpi_testall_(integer *count, integer *requests, integer *flag, integer *statuses, integer *error) {
    struct converted all = to_c(requests, *count);
    *error = MPI_Testall(*count, all.requests, flag, all.statuses);
    to_fortran(all, requests, *count, statuses, *flag ? *count : 0);
}

/* Fortran counts from 1. */
void mpi_waitany_(integer *count, integer *requests, integer *index, integer *status, integer *error) {
    struct converted all = to_c(requests, *count);
    *error = MPI_Waitany(*count, all.requests, index, all.statuses);
    if (*error == MPI_SUCCESS) give_status(all.statuses, status);
    if (*index != MPI_UNDEFINED) *index += 1;
    to_fortran(all, requests, *count, NULL, 0);
}

void mpi_testany_(integer *count, integer *requests, integer *index, integer *flag, integer *status, integer *error) {
    struct converted all = to_c(requests, *count);
    *error = MPI_Testany(*count, all.requests, index, flag, all.statuses);
    if (*error == MPI_SUCCESS && *flag) give_status(all.statuses, status);
    if (*index != MPI_UNDEFINED) *index += 1;
    to_fortran(all, requests, *count, NULL, 0);
}

#define FORTRAN_SOME(NAME, C_NAME)                                                                                      \
    void mpi_##NAME##_(integer *count, integer *requests, integer *number, integer *indices, integer *statuses,         \
                       integer *error) {                                                                                \
        struct converted all = to_c(requests, *count);                                                                  \
        *error = MPI_##C_NAME(*count, all.requests, number, indices, all.statuses);                                     \
        int done = *error == MPI_SUCCESS && *number != MPI_UNDEFINED ? *number : 0;                                     \
        for (int i = 0; i < done; i++) indices[i] += 1;                                                                 \
        to_fortran(all, requests, *count, statuses, done);                                                              \
    }
FORTRAN_SOME(waitsome, Waitsome)
FORTRAN_SOME(testsome, Testsome)

void mpi_bcast_(void *buffer, integer *count, integer *type, integer *root, integer *comm, integer *error) {
    *error = MPI_Bcast(address(buffer), *count, TYPE(type), *root, COMM(comm));
}

#define ROOTED(NAME, C_NAME)                                                                                               \
    void mpi_##NAME##_(void *from, integer *count, integer *type, void *to, integer *to_count, integer *to_type,           \
                       integer *root, integer *comm, integer *error) {                                                     \
        *error = MPI_##C_NAME(address(from), *count, TYPE(type), address(to), *to_count, TYPE(to_type), *root, COMM(comm)); \
    }
ROOTED(gather, Gather)
ROOTED(scatter, Scatter)

#define UNROOTED(NAME, C_NAME)                                                                                             \
    void mpi_##NAME##_(void *from, integer *count, integer *type, void *to, integer *to_count, integer *to_type,           \
                       integer *comm, integer *error) {                                                                    \
        *error = MPI_##C_NAME(address(from), *count, TYPE(type), address(to), *to_count, TYPE(to_type), COMM(comm));       \
    }
UNROOTED(allgather, Allgather)
UNROOTED(alltoall, Alltoall)

void mpi_gatherv_(void *from, integer *count, integer *type, void *to, integer *counts, integer *displacements, integer *to_type,
                  integer *root, integer *comm, integer *error) {
    *error = MPI_Gatherv(address(from), *count, TYPE(type), address(to), counts, displacements, TYPE(to_type), *root, COMM(comm));
}

void mpi_scatterv_(void *from, integer *counts, integer *displacements, integer *type, void *to, integer *count, integer *to_type,
                   integer *root, integer *comm, integer *error) {
    *error = MPI_Scatterv(address(from), counts, displacements, TYPE(type), address(to), *count, TYPE(to_type), *root, COMM(comm));
}

void mpi_allgatherv_(void *from, integer *count, integer *type, void *to, integer *counts, integer *displacements, integer *to_type,
                     integer *comm, integer *error) {
    *error = MPI_Allgatherv(address(from), *count, TYPE(type), address(to), counts, displacements, TYPE(to_type), COMM(comm));
}

void mpi_alltoallv_(void *from, integer *counts, integer *displacements, integer *type, void *to, integer *to_counts,
                    integer *to_displacements, integer *to_type, integer *comm, integer *error) {
    *error = MPI_Alltoallv(address(from), counts, displacements, TYPE(type), address(to), to_counts, to_displacements, TYPE(to_type),
                           COMM(comm));
}

void mpi_reduce_(void *from, void *to, integer *count, integer *type, integer *op, integer *root, integer *comm, integer *error) {
    *error = MPI_Reduce(address(from), address(to), *count, TYPE(type), OPERATION(op), *root, COMM(comm));
}

void mpi_allreduce_(void *from, void *to, integer *count, integer *type, integer *op, integer *comm, integer *error) {
    *error = MPI_Allreduce(address(from), address(to), *count, TYPE(type), OPERATION(op), COMM(comm));
}

void mpi_scan_(void *from, void *to, integer *count, integer *type, integer *op, integer *comm, integer *error) {
    *error = MPI_Scan(address(from), address(to), *count, TYPE(type), OPERATION(op), COMM(comm));
}
#endif

