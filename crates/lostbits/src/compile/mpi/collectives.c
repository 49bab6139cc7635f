/* ---- collectives: each piece that moves from one process to another has a shadow message of its own ---- */

static void *piece(const void *buffer, long elements, MPI_Datatype type) {
    MPI_Aint lower, extent;
    PMPI_Type_get_extent(type, &lower, &extent);
    return (char *)buffer + elements * extent;
}

/* Pieces are received in order; their hashes tell them from those of nonblocking collectives. */
static void give(const void *buffer, int count, MPI_Datatype type, int to, MPI_Comm comm) {
    send_shadow(buffer, count, type, to, collective_tag, comm);
}

static void take(void *buffer, int count, MPI_Datatype type, int from, MPI_Comm comm) {
    MPI_Status status;
    int bytes = packed_size(count, type);
    memset(&status, 0, sizeof status);
    status.MPI_SOURCE = from;
    status.MPI_TAG = collective_tag;
    PMPI_Status_set_elements(&status, MPI_BYTE, bytes);
    receive_shadow(buffer, type, &status, comm);
}

static int is_tracked(MPI_Comm comm) {
    return shadow_of(comm) != MPI_COMM_NULL;
}

static int rank_in(MPI_Comm comm) {
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    return rank;
}

static int size_of(MPI_Comm comm) {
    int size = 1;
    PMPI_Comm_size(comm, &size);
    return size;
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    int result = PMPI_Bcast(buffer, count, type, root, comm);
    if (result != MPI_SUCCESS || !is_tracked(comm)) return result;
    if (rank_in(comm) != root) {
        take(buffer, count, type, root, comm);
        return result;
    }
    for (int to = 0; to < size_of(comm); to++)
        if (to != root) give(buffer, count, type, to, comm);
    return result;
}

/* Pieces of a buffer, one for each rank: of equal size, or with counts and displacements of their own. */
struct pieces {
    void *buffer;
    int count;
    const int *counts, *displacements;
    MPI_Datatype type;
};

static int count_of(struct pieces pieces, int rank) {
    return pieces.counts ? pieces.counts[rank] : pieces.count;
}

static void *piece_of(struct pieces pieces, int rank) {
    long at = pieces.displacements ? pieces.displacements[rank] : (long)pieces.count * rank;
    return piece(pieces.buffer, at, pieces.type);
}

static void copy_piece(const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type) {
    struct bytes message = shadow_message(from, count, type);
    if (from != to) deliver(message, to, to_count, to_type);
    free(message.at);
}

static void gathered(const void *own, int count, MPI_Datatype type, struct pieces all, int root, MPI_Comm comm) {
    int rank = rank_in(comm);
    if (!is_tracked(comm)) return;
    if (rank != root) {
        give(own, count, type, root, comm);
        return;
    }
    for (int from = 0; from < size_of(comm); from++)
        if (from != rank)
            take(piece_of(all, from), count_of(all, from), all.type, from, comm);
        else if (own != MPI_IN_PLACE)
            copy_piece(own, count, type, piece_of(all, from), count_of(all, from), all.type);
}

int MPI_Gather(const void *own, int count, MPI_Datatype type, void *buffer, int each, MPI_Datatype to_type, int root, MPI_Comm comm) {
    int result = PMPI_Gather(own, count, type, buffer, each, to_type, root, comm);
    if (result == MPI_SUCCESS) gathered(own, count, type, (struct pieces){buffer, each, NULL, NULL, to_type}, root, comm);
    return result;
}

int MPI_Gatherv(const void *own, int count, MPI_Datatype type, void *buffer, const int *counts, const int *displacements,
                MPI_Datatype to_type, int root, MPI_Comm comm) {
    int result = PMPI_Gatherv(own, count, type, buffer, counts, displacements, to_type, root, comm);
    if (result == MPI_SUCCESS) gathered(own, count, type, (struct pieces){buffer, 0, counts, displacements, to_type}, root, comm);
    return result;
}

static void scattered(struct pieces all, void *own, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    int rank = rank_in(comm);
    if (!is_tracked(comm)) return;
    if (rank != root) {
        take(own, count, type, root, comm);
        return;
    }
    for (int to = 0; to < size_of(comm); to++)
        if (to != rank)
            give(piece_of(all, to), count_of(all, to), all.type, to, comm);
        else if (own != MPI_IN_PLACE)
            copy_piece(piece_of(all, to), count_of(all, to), all.type, own, count, type);
}

int MPI_Scatter(const void *buffer, int each, MPI_Datatype from_type, void *own, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    int result = PMPI_Scatter(buffer, each, from_type, own, count, type, root, comm);
    if (result == MPI_SUCCESS) scattered((struct pieces){(void *)buffer, each, NULL, NULL, from_type}, own, count, type, root, comm);
    return result;
}

int MPI_Scatterv(const void *buffer, const int *counts, const int *displacements, MPI_Datatype from_type, void *own, int count,
                 MPI_Datatype type, int root, MPI_Comm comm) {
    int result = PMPI_Scatterv(buffer, counts, displacements, from_type, own, count, type, root, comm);
    if (result == MPI_SUCCESS)
        scattered((struct pieces){(void *)buffer, 0, counts, displacements, from_type}, own, count, type, root, comm);
    return result;
}

static void all_gathered(const void *own, int count, MPI_Datatype type, struct pieces all, MPI_Comm comm) {
    int rank = rank_in(comm), size = size_of(comm);
    if (!is_tracked(comm)) return;
    if (own == MPI_IN_PLACE) {
        own = piece_of(all, rank);
        count = count_of(all, rank);
        type = all.type;
    }
    for (int to = 0; to < size; to++)
        if (to != rank) give(own, count, type, to, comm);
    for (int from = 0; from < size; from++)
        if (from != rank)
            take(piece_of(all, from), count_of(all, from), all.type, from, comm);
        else
            copy_piece(own, count, type, piece_of(all, from), count_of(all, from), all.type);
}

int MPI_Allgather(const void *own, int count, MPI_Datatype type, void *buffer, int each, MPI_Datatype to_type, MPI_Comm comm) {
    int result = PMPI_Allgather(own, count, type, buffer, each, to_type, comm);
    if (result == MPI_SUCCESS) all_gathered(own, count, type, (struct pieces){buffer, each, NULL, NULL, to_type}, comm);
    return result;
}

int MPI_Allgatherv(const void *own, int count, MPI_Datatype type, void *buffer, const int *counts, const int *displacements,
                   MPI_Datatype to_type, MPI_Comm comm) {
    int result = PMPI_Allgatherv(own, count, type, buffer, counts, displacements, to_type, comm);
    if (result == MPI_SUCCESS) all_gathered(own, count, type, (struct pieces){buffer, 0, counts, displacements, to_type}, comm);
    return result;
}

/* In place, the buffer is overwritten: its shadows must leave before. */
static struct bytes *leaving(struct pieces from, MPI_Comm comm) {
    int size = size_of(comm);
    struct bytes *messages = malloc(size * sizeof *messages);
    for (int to = 0; to < size; to++) messages[to] = shadow_message(piece_of(from, to), count_of(from, to), from.type);
    return messages;
}

static void all_to_all(struct bytes *messages, struct pieces to, MPI_Comm comm) {
    int rank = rank_in(comm), size = size_of(comm);
    for (int other = 0; other < size; other++)
        if (other != rank) send_bytes(messages[other], other, collective_tag, shadow_of(comm));
    for (int other = 0; other < size; other++)
        if (other != rank)
            take(piece_of(to, other), count_of(to, other), to.type, other, comm);
        else
            deliver(messages[rank], piece_of(to, rank), count_of(to, rank), to.type);
    free(messages[rank].at);
    free(messages);
}

int MPI_Alltoall(const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type, MPI_Comm comm) {
    struct pieces after = {to, to_count, NULL, NULL, to_type};
    struct pieces before = from == MPI_IN_PLACE ? after : (struct pieces){(void *)from, count, NULL, NULL, type};
    struct bytes *messages = is_tracked(comm) ? leaving(before, comm) : NULL;
    int result = PMPI_Alltoall(from, count, type, to, to_count, to_type, comm);
    if (messages && result == MPI_SUCCESS) all_to_all(messages, after, comm);
    return result;
}

int MPI_Alltoallv(const void *from, const int *counts, const int *displacements, MPI_Datatype type, void *to, const int *to_counts,
                  const int *to_displacements, MPI_Datatype to_type, MPI_Comm comm) {
    struct pieces after = {to, 0, to_counts, to_displacements, to_type};
    struct pieces before = from == MPI_IN_PLACE ? after : (struct pieces){(void *)from, 0, counts, displacements, type};
    struct bytes *messages = is_tracked(comm) ? leaving(before, comm) : NULL;
    int result = PMPI_Alltoallv(from, counts, displacements, type, to, to_counts, to_displacements, to_type, comm);
    if (messages && result == MPI_SUCCESS) all_to_all(messages, after, comm);
    return result;
}


int MPI_Alltoallw(const void *from, const int *counts, const int *places, const MPI_Datatype *types, void *to, const int *to_counts,
                  const int *to_places, const MPI_Datatype *to_types, MPI_Comm comm) {
    int tracks = is_tracked(comm), rank = rank_in(comm), size = size_of(comm);
    struct bytes *messages = tracks ? malloc(size * sizeof *messages) : NULL;
    int in_place = from == MPI_IN_PLACE;
    for (int other = 0; tracks && other < size; other++)
        messages[other] = in_place ? shadow_message((char *)to + to_places[other], to_counts[other], to_types[other])
                                   : shadow_message((char *)from + places[other], counts[other], types[other]);
    int result = PMPI_Alltoallw(from, counts, places, types, to, to_counts, to_places, to_types, comm);
    for (int other = 0; tracks && other < size; other++)
        if (other != rank) send_bytes(messages[other], other, collective_tag, shadow_of(comm));
    for (int other = 0; tracks && other < size; other++)
        if (other != rank)
            take((char *)to + to_places[other], to_counts[other], to_types[other], other, comm);
        else
            deliver(messages[rank], (char *)to + to_places[rank], to_counts[rank], to_types[rank]);
    if (tracks) free(messages[rank].at);
    free(messages);
    return result;
}

