/* ---- nonblocking collectives, and messages that were matched by a probe ----
 *
 * A collective that has started is completed by a wait or test of its request: there its buffers are as after the blocking one,
 * and the same shadows travel. All processes start the collectives of a communicator in the same order, but may complete them in
 * any; so pieces that leave do so at the start, and those that arrive are recognised by their hashes. */

/* What is done where a request completes. */
struct completion {
    void (*arrive)(struct completion *);
    MPI_Comm comm;
    struct pieces to;
    struct bytes own;
    int root;
    int *counts, *displacements;
    /* Of a reduction. */
    struct reduction how;
    uint64_t number;
    int ranks, total, start, count;
};

static struct completion *completion_of(MPI_Comm comm) {
    struct completion *one = calloc(1, sizeof *one);
    one->comm = comm;
    return one;
}

static void forget_completion(struct completion *one) {
    free(one->own.at);
    free(one->counts);
    free(one->displacements);
    free(one);
}

static void finish(struct completion *one) {
    one->arrive(one);
    forget_completion(one);
}

/* The program may change its arrays of counts before the request completes. */
static struct pieces kept(struct completion *one, struct pieces pieces) {
    size_t bytes = size_of(one->comm) * sizeof(int);
    if (pieces.counts) {
        one->counts = memcpy(malloc(bytes + 1), pieces.counts, bytes);
        one->displacements = memcpy(malloc(bytes + 1), pieces.displacements, bytes);
        pieces.counts = one->counts;
        pieces.displacements = one->displacements;
    }
    return pieces;
}

static void arrive_from_root(struct completion *one) {
    if (rank_in(one->comm) != one->root) take(one->to.buffer, one->to.count, one->to.type, one->root, one->comm);
}

static void arrive_from_all(struct completion *one) {
    int rank = rank_in(one->comm);
    for (int from = 0; from < size_of(one->comm); from++)
        if (from != rank)
            take(piece_of(one->to, from), count_of(one->to, from), one->to.type, from, one->comm);
        else if (one->own.at)
            deliver(one->own, piece_of(one->to, from), count_of(one->to, from), one->to.type);
}

int MPI_Ibcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request) {
    int result = PMPI_Ibcast(buffer, count, type, root, comm, request);
    if (result != MPI_SUCCESS || !is_tracked(comm)) return result;
    if (rank_in(comm) == root) {
        for (int to = 0; to < size_of(comm); to++)
            if (to != root) give(buffer, count, type, to, comm);
        return result;
    }
    struct completion *one = completion_of(comm);
    one->arrive = arrive_from_root;
    one->to = (struct pieces){buffer, count, NULL, NULL, type};
    one->root = root;
    await(*request, one, comm);
    return result;
}

static void igathered(const void *own, int count, MPI_Datatype type, struct pieces all, int root, MPI_Comm comm, MPI_Request request) {
    int rank = rank_in(comm);
    if (rank != root) {
        give(own, count, type, root, comm);
        return;
    }
    struct completion *one = completion_of(comm);
    one->arrive = arrive_from_all;
    one->to = kept(one, all);
    if (own != MPI_IN_PLACE) one->own = shadow_message(own, count, type);
    await(request, one, comm);
}

int MPI_Igather(const void *own, int count, MPI_Datatype type, void *buffer, int each, MPI_Datatype to_type, int root, MPI_Comm comm,
                MPI_Request *request) {
    int result = PMPI_Igather(own, count, type, buffer, each, to_type, root, comm, request);
    if (result == MPI_SUCCESS && is_tracked(comm))
        igathered(own, count, type, (struct pieces){buffer, each, NULL, NULL, to_type}, root, comm, *request);
    return result;
}

int MPI_Igatherv(const void *own, int count, MPI_Datatype type, void *buffer, const int *counts, const int *displacements,
                 MPI_Datatype to_type, int root, MPI_Comm comm, MPI_Request *request) {
    int result = PMPI_Igatherv(own, count, type, buffer, counts, displacements, to_type, root, comm, request);
    if (result == MPI_SUCCESS && is_tracked(comm))
        igathered(own, count, type, (struct pieces){buffer, 0, counts, displacements, to_type}, root, comm, *request);
    return result;
}

static void iscattered(struct pieces all, void *own, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request request) {
    int rank = rank_in(comm);
    if (rank == root) {
        for (int to = 0; to < size_of(comm); to++)
            if (to != rank)
                give(piece_of(all, to), count_of(all, to), all.type, to, comm);
            else if (own != MPI_IN_PLACE)
                copy_piece(piece_of(all, to), count_of(all, to), all.type, own, count, type);
        return;
    }
    struct completion *one = completion_of(comm);
    one->arrive = arrive_from_root;
    one->to = (struct pieces){own, count, NULL, NULL, type};
    one->root = root;
    await(request, one, comm);
}

int MPI_Iscatter(const void *buffer, int each, MPI_Datatype from_type, void *own, int count, MPI_Datatype type, int root, MPI_Comm comm,
                 MPI_Request *request) {
    int result = PMPI_Iscatter(buffer, each, from_type, own, count, type, root, comm, request);
    if (result == MPI_SUCCESS && is_tracked(comm))
        iscattered((struct pieces){(void *)buffer, each, NULL, NULL, from_type}, own, count, type, root, comm, *request);
    return result;
}

int MPI_Iscatterv(const void *buffer, const int *counts, const int *displacements, MPI_Datatype from_type, void *own, int count,
                  MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request) {
    int result = PMPI_Iscatterv(buffer, counts, displacements, from_type, own, count, type, root, comm, request);
    if (result == MPI_SUCCESS && is_tracked(comm))
        iscattered((struct pieces){(void *)buffer, 0, counts, displacements, from_type}, own, count, type, root, comm, *request);
    return result;
}

static void iall_gathered(const void *own, int count, MPI_Datatype type, struct pieces all, MPI_Comm comm, MPI_Request request) {
    int rank = rank_in(comm);
    if (own == MPI_IN_PLACE) {
        own = piece_of(all, rank);
        count = count_of(all, rank);
        type = all.type;
    }
    for (int to = 0; to < size_of(comm); to++)
        if (to != rank) give(own, count, type, to, comm);
    struct completion *one = completion_of(comm);
    one->arrive = arrive_from_all;
    one->to = kept(one, all);
    one->own = shadow_message(own, count, type);
    await(request, one, comm);
}

int MPI_Iallgather(const void *own, int count, MPI_Datatype type, void *buffer, int each, MPI_Datatype to_type, MPI_Comm comm,
                   MPI_Request *request) {
    int result = PMPI_Iallgather(own, count, type, buffer, each, to_type, comm, request);
    if (result == MPI_SUCCESS && is_tracked(comm))
        iall_gathered(own, count, type, (struct pieces){buffer, each, NULL, NULL, to_type}, comm, *request);
    return result;
}

int MPI_Iallgatherv(const void *own, int count, MPI_Datatype type, void *buffer, const int *counts, const int *displacements,
                    MPI_Datatype to_type, MPI_Comm comm, MPI_Request *request) {
    int result = PMPI_Iallgatherv(own, count, type, buffer, counts, displacements, to_type, comm, request);
    if (result == MPI_SUCCESS && is_tracked(comm))
        iall_gathered(own, count, type, (struct pieces){buffer, 0, counts, displacements, to_type}, comm, *request);
    return result;
}

static void iall_to_all(struct bytes *messages, struct pieces to, MPI_Comm comm, MPI_Request request) {
    int rank = rank_in(comm);
    for (int other = 0; other < size_of(comm); other++)
        if (other != rank) send_bytes(messages[other], other, collective_tag, shadow_of(comm));
    struct completion *one = completion_of(comm);
    one->arrive = arrive_from_all;
    one->to = kept(one, to);
    one->own = messages[rank];
    free(messages);
    await(request, one, comm);
}

int MPI_Ialltoall(const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type, MPI_Comm comm,
                  MPI_Request *request) {
    struct pieces after = {to, to_count, NULL, NULL, to_type};
    struct pieces before = from == MPI_IN_PLACE ? after : (struct pieces){(void *)from, count, NULL, NULL, type};
    struct bytes *messages = is_tracked(comm) ? leaving(before, comm) : NULL;
    int result = PMPI_Ialltoall(from, count, type, to, to_count, to_type, comm, request);
    if (messages && result == MPI_SUCCESS) iall_to_all(messages, after, comm, *request);
    return result;
}

int MPI_Ialltoallv(const void *from, const int *counts, const int *displacements, MPI_Datatype type, void *to, const int *to_counts,
                   const int *to_displacements, MPI_Datatype to_type, MPI_Comm comm, MPI_Request *request) {
    struct pieces after = {to, 0, to_counts, to_displacements, to_type};
    struct pieces before = from == MPI_IN_PLACE ? after : (struct pieces){(void *)from, 0, counts, displacements, type};
    struct bytes *messages = is_tracked(comm) ? leaving(before, comm) : NULL;
    int result = PMPI_Ialltoallv(from, counts, displacements, type, to, to_counts, to_displacements, to_type, comm, request);
    if (messages && result == MPI_SUCCESS) iall_to_all(messages, after, comm, *request);
    return result;
}

/* ---- nonblocking reductions: every rank that gets a result takes the contributions of all that make it ---- */

#define CONTRIBUTION_BYTES 0x72656475

static uint64_t next_reduction(MPI_Comm comm) {
    struct beside *one = beside(comm);
    return one ? (++one->reductions) * 0x9e3779b97f4a7c15u : 0;
}

static void give_contribution(struct bytes own, uint64_t number, int to, MPI_Comm comm) {
    struct header header = {number, CONTRIBUTION_BYTES, 0, 0, 0};
    struct bytes message = {malloc(sizeof header + own.size + 8), sizeof header + own.size};
    memcpy(message.at, &header, sizeof header);
    memcpy(message.at + sizeof header, own.at, own.size);
    send_bytes(message, to, collective_tag, shadow_of(comm));
}

static void arrive_reduced(struct completion *one) {
    int ranks = size_of(one->comm), rank = rank_in(one->comm), is_whole = 1;
    struct bytes *messages = calloc(ranks + 1, sizeof *messages), *all = calloc(ranks + 1, sizeof *all);
    for (int from = 0; from < one->ranks; from++) {
        if (from == rank) {
            all[from] = one->own;
            continue;
        }
        messages[from] = matching(from, collective_tag, shadow_of(one->comm), one->number, CONTRIBUTION_BYTES);
        is_whole &= messages[from].at != NULL;
        all[from] = (struct bytes){messages[from].at + sizeof(struct header), messages[from].size - sizeof(struct header)};
    }
    if (is_whole) settle(&one->how, all, one->ranks, one->total, one->start, one->count, one->to.buffer);
    for (int from = 0; from < ranks; from++) free(messages[from].at);
    free(messages), free(all);
}

static void arrive_doubtful(struct completion *one) {
    doubt(one->to.buffer, one->count, one->how.type);
}

/* `first` to `last`: the ranks that get a result of this rank's contribution; `ranks`: how many contribute to this rank's. */
static void reduction_started(const struct reduction *how, struct bytes own, int first, int last, int ranks, int total, int start, int count,
                              void *to, MPI_Comm comm, MPI_Request request) {
    int is_untracked = own.at == NULL;
    if (is_untracked && !is_doubtful(how)) return;
    struct completion *one = completion_of(comm);
    one->how = *how;
    one->own = own;
    one->arrive = is_untracked ? arrive_doubtful : arrive_reduced;
    one->ranks = to ? ranks : 0;
    one->total = total, one->start = start, one->count = count;
    one->to.buffer = to;
    if (!is_untracked) {
        one->number = next_reduction(comm);
        for (int rank = first; rank <= last; rank++)
            if (rank != rank_in(comm)) give_contribution(own, one->number, rank, comm);
    }
    await(request, one, comm);
}

#define STARTS_REDUCTION(NAME, PARAMETERS, ARGUMENTS, TOTAL, FIRST, LAST, RANKS, START, COUNT, TO)                                    \
    int MPI_##NAME PARAMETERS {                                                                                                       \
        int rank = rank_in(comm), ranks = size_of(comm), total = TOTAL;                                                               \
        struct reduction how = reduction_of(type, op, comm);                                                                          \
        struct bytes own = {NULL, 0};                                                                                                 \
        if (how.how != UNTRACKED && total > 0) own = contribution(&how, from == MPI_IN_PLACE ? to : from, total);                     \
        int result = PMPI_##NAME ARGUMENTS;                                                                                           \
        if (result == MPI_SUCCESS) reduction_started(&how, own, FIRST, LAST, RANKS, total, START, COUNT, TO, comm, *request);         \
        return result;                                                                                                                \
    }
STARTS_REDUCTION(Iallreduce, (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request),
                 (from, to, count, type, op, comm, request), count, 0, ranks - 1, ranks, 0, count, to)
STARTS_REDUCTION(Ireduce, (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm, MPI_Request *request),
                 (from, to, count, type, op, root, comm, request), count, root, root, ranks, 0, count, rank == root ? to : NULL)
STARTS_REDUCTION(Iscan, (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request),
                 (from, to, count, type, op, comm, request), count, rank + 1, ranks - 1, rank + 1, 0, count, to)
STARTS_REDUCTION(Iexscan, (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request),
                 (from, to, count, type, op, comm, request), count, rank + 1, ranks - 1, rank, 0, count, rank ? to : NULL)
STARTS_REDUCTION(Ireduce_scatter_block,
                 (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request),
                 (from, to, count, type, op, comm, request), count * ranks, 0, ranks - 1, ranks, count * rank, count, to)
STARTS_REDUCTION(Ireduce_scatter,
                 (const void *from, void *to, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request),
                 (from, to, counts, type, op, comm, request), sum_of(counts, ranks), 0, ranks - 1, ranks, sum_of(counts, rank),
                 counts[rank], to)

/* ---- matched probes ---- */

static struct matched {
    MPI_Message message;
    MPI_Comm comm;
    struct matched *next;
} *matched;

static void match(MPI_Message message, MPI_Comm comm) {
    if (!is_tracked(comm) || message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC) return;
    struct matched *one = malloc(sizeof *one);
    pthread_mutex_lock(&lock);
    *one = (struct matched){message, comm, matched};
    matched = one;
    pthread_mutex_unlock(&lock);
}

static MPI_Comm unmatch(MPI_Message message) {
    MPI_Comm comm = MPI_COMM_NULL;
    pthread_mutex_lock(&lock);
    for (struct matched **link = &matched; *link; link = &(*link)->next) {
        struct matched *one = *link;
        if (one->message != message) continue;
        comm = one->comm;
        *link = one->next;
        free(one);
        break;
    }
    pthread_mutex_unlock(&lock);
    return comm;
}

int MPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
    int result = PMPI_Mprobe(from, tag, comm, message, status);
    if (result == MPI_SUCCESS) match(*message, comm);
    return result;
}

int MPI_Improbe(int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) {
    int result = PMPI_Improbe(from, tag, comm, flag, message, status);
    if (result == MPI_SUCCESS && *flag) match(*message, comm);
    return result;
}

int MPI_Mrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status) {
    MPI_Status own;
    MPI_Status *used = status == MPI_STATUS_IGNORE ? &own : status;
    MPI_Comm comm = unmatch(*message);
    int result = PMPI_Mrecv(buffer, count, type, message, used);
    if (result == MPI_SUCCESS) receive_shadow(buffer, type, used, comm);
    return result;
}

int MPI_Imrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request) {
    MPI_Comm comm = unmatch(*message);
    int result = PMPI_Imrecv(buffer, count, type, message, request);
    if (result == MPI_SUCCESS) remember(*request, buffer, count, type, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, 0, 0);
    return result;
}

