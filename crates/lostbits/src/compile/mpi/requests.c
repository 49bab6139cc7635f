/* ---- requests ---- */

static struct pending {
    MPI_Request request;
    const void *buffer;
    int count, peer, tag, is_send, is_persistent, is_type_ours;
    MPI_Datatype type;
    MPI_Comm comm;
    struct completion *completion;
    struct pending *next;
} *pending[1024];

/* What is left to do for a collective whose request has completed (nonblocking.c). */
static void finish(struct completion *);

static struct pending **bucket(MPI_Request request) {
    return &pending[((uintptr_t)request ^ (uintptr_t)request >> 10) % 1024];
}

static void remember(MPI_Request request, const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                     int is_send, int is_persistent) {
    if (shadow_of(comm) == MPI_COMM_NULL || request == MPI_REQUEST_NULL) return;
    struct pending *one = malloc(sizeof *one);
    *one = (struct pending){request, buffer, count, peer, tag, is_send, is_persistent, 0, type, comm, NULL, NULL};
    int integers, addresses, types, combiner;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    /* The program may free its type before the request is completed. */
    one->is_type_ours = combiner != MPI_COMBINER_NAMED && PMPI_Type_dup(type, &one->type) == MPI_SUCCESS;
    pthread_mutex_lock(&lock);
    struct pending **link = bucket(request);
    one->next = *link;
    *link = one;
    pthread_mutex_unlock(&lock);
}

static void await(MPI_Request request, struct completion *completion, MPI_Comm comm) {
    struct pending *one = malloc(sizeof *one);
    *one = (struct pending){request, NULL, 0, 0, 0, 0, 0, 0, MPI_DATATYPE_NULL, comm, completion, NULL};
    pthread_mutex_lock(&lock);
    struct pending **link = bucket(request);
    one->next = *link;
    *link = one;
    pthread_mutex_unlock(&lock);
}

static void drop(struct pending *one) {
    if (one->is_type_ours) PMPI_Type_free(&one->type);
    free(one);
}

/* The request's own entry; taken out unless it is persistent. */
static struct pending *taken(MPI_Request request, int takes_persistent) {
    pthread_mutex_lock(&lock);
    struct pending **link = bucket(request), *one;
    while (*link && (*link)->request != request) link = &(*link)->next;
    one = *link;
    if (one && (!one->is_persistent || takes_persistent)) *link = one->next;
    pthread_mutex_unlock(&lock);
    return one;
}

static int outstanding(int from, int tag, MPI_Comm shadow) {
    int number = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < sizeof pending / sizeof *pending; i++)
        for (struct pending *one = pending[i]; one; one = one->next) {
            int may_match = one->completion ? tag == collective_tag
                                            : !one->is_send && (one->peer == from || one->peer == MPI_ANY_SOURCE) &&
                                                  (one->tag == tag || one->tag == MPI_ANY_TAG);
            number += may_match && shadow_of(one->comm) == shadow;
        }
    pthread_mutex_unlock(&lock);
    return number;
}

static void completed(MPI_Request request, const MPI_Status *status) {
    struct pending *one = request == MPI_REQUEST_NULL ? NULL : taken(request, 0);
    int is_cancelled = 0;
    if (!one) return;
    if (one->completion) {
        finish(one->completion);
        free(one);
        return;
    }
    PMPI_Test_cancelled(status, &is_cancelled);
    if (!one->is_send && !is_cancelled) receive_shadow((void *)one->buffer, one->type, status, one->comm);
    if (!one->is_persistent) drop(one);
}

#define ISEND(NAME)                                                                                                            \
    int MPI_##NAME(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {   \
        send_shadow(buffer, count, type, to, tag, comm);                                                                       \
        return PMPI_##NAME(buffer, count, type, to, tag, comm, request);                                                       \
    }
ISEND(Isend)
ISEND(Issend)
ISEND(Irsend)
ISEND(Ibsend)

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
    int result = PMPI_Irecv(buffer, count, type, from, tag, comm, request);
    if (result == MPI_SUCCESS) remember(*request, buffer, count, type, from, tag, comm, 0, 0);
    return result;
}

#define SEND_INIT(NAME)                                                                                                        \
    int MPI_##NAME(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {   \
        int result = PMPI_##NAME(buffer, count, type, to, tag, comm, request);                                                 \
        if (result == MPI_SUCCESS) remember(*request, buffer, count, type, to, tag, comm, 1, 1);                               \
        return result;                                                                                                         \
    }
SEND_INIT(Send_init)
SEND_INIT(Ssend_init)
SEND_INIT(Rsend_init)
SEND_INIT(Bsend_init)

int MPI_Recv_init(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
    int result = PMPI_Recv_init(buffer, count, type, from, tag, comm, request);
    if (result == MPI_SUCCESS) remember(*request, buffer, count, type, from, tag, comm, 0, 1);
    return result;
}

static void started(MPI_Request request) {
    struct pending *one = taken(request, 0);
    if (one && one->is_send) send_shadow(one->buffer, one->count, one->type, one->peer, one->tag, one->comm);
}

int MPI_Start(MPI_Request *request) {
    started(*request);
    return PMPI_Start(request);
}

int MPI_Startall(int count, MPI_Request *requests) {
    for (int i = 0; i < count; i++) started(requests[i]);
    return PMPI_Startall(count, requests);
}

int MPI_Request_free(MPI_Request *request) {
    struct pending *one = taken(*request, 1);
    if (one) drop(one);
    return PMPI_Request_free(request);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    MPI_Status own;
    MPI_Request before = *request;
    MPI_Status *used = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Wait(request, used);
    if (result == MPI_SUCCESS) completed(before, used);
    return result;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    MPI_Status own;
    MPI_Request before = *request;
    MPI_Status *used = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Test(request, flag, used);
    if (result == MPI_SUCCESS && *flag) completed(before, used);
    return result;
}

/* A copy of the requests as they were, and statuses even if the program wants none. */
struct many {
    MPI_Request *before;
    MPI_Status *statuses, *own;
};

static struct many many(int count, MPI_Request *requests, MPI_Status *statuses) {
    size_t room = count > 0 ? count : 1;
    struct many all = {malloc(room * sizeof *requests), statuses, NULL};
    memcpy(all.before, requests, (count > 0 ? count : 0) * sizeof *requests);
    if (statuses == MPI_STATUSES_IGNORE) all.statuses = all.own = calloc(room, sizeof *statuses);
    return all;
}

static void done(struct many all) {
    free(all.before);
    free(all.own);
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses) {
    struct many all = many(count, requests, statuses);
    int result = PMPI_Waitall(count, requests, all.statuses);
    for (int i = 0; i < count && result == MPI_SUCCESS; i++) completed(all.before[i], &all.statuses[i]);
    done(all);
    return result;
}

int MPI_Testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses) {
    struct many all = many(count, requests, statuses);
    int result = PMPI_Testall(count, requests, flag, all.statuses);
    for (int i = 0; i < count && result == MPI_SUCCESS && *flag; i++) completed(all.before[i], &all.statuses[i]);
    done(all);
    return result;
}

int MPI_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status) {
    MPI_Status own;
    MPI_Status *used = status == MPI_STATUS_IGNORE ? &own : status;
    struct many all = many(count, requests, MPI_STATUSES_IGNORE);
    int result = PMPI_Waitany(count, requests, index, used);
    if (result == MPI_SUCCESS && *index != MPI_UNDEFINED) completed(all.before[*index], used);
    done(all);
    return result;
}

int MPI_Testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status) {
    MPI_Status own;
    MPI_Status *used = status == MPI_STATUS_IGNORE ? &own : status;
    struct many all = many(count, requests, MPI_STATUSES_IGNORE);
    int result = PMPI_Testany(count, requests, index, flag, used);
    if (result == MPI_SUCCESS && *flag && *index != MPI_UNDEFINED) completed(all.before[*index], used);
    done(all);
    return result;
}

#define SOME(NAME)                                                                                                  \
    int MPI_##NAME(int count, MPI_Request *requests, int *number, int *indices, MPI_Status *statuses) {             \
        struct many all = many(count, requests, statuses);                                                          \
        int result = PMPI_##NAME(count, requests, number, indices, all.statuses);                                   \
        for (int i = 0; result == MPI_SUCCESS && *number != MPI_UNDEFINED && i < *number; i++)                      \
            completed(all.before[indices[i]], &all.statuses[i]);                                                    \
        done(all);                                                                                                  \
        return result;                                                                                              \
    }
SOME(Waitsome)
SOME(Testsome)

