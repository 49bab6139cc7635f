/* ---- sending and receiving ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Shadow messages on their way. The program does not wait for them; MPI_Finalize does. */
static struct sent {
    MPI_Request request;
    unsigned char *at;
    struct sent *next;
} *sent;

static void release_sent(int wait) {
    for (struct sent **link = &sent; *link;) {
        struct sent *one = *link;
        int done = 1;
        if (wait)
            PMPI_Wait(&one->request, MPI_STATUS_IGNORE);
        else
            PMPI_Test(&one->request, &done, MPI_STATUS_IGNORE);
        if (!done) {
            link = &one->next;
            continue;
        }
        *link = one->next;
        free(one->at);
        free(one);
    }
}

static void send_bytes(struct bytes message, int to, int tag, MPI_Comm shadow) {
    struct sent *one = malloc(sizeof *one);
    one->at = message.at;
    PMPI_Isend(message.at, (int)message.size, MPI_BYTE, to, tag, shadow, &one->request);
    pthread_mutex_lock(&lock);
    release_sent(0);
    one->next = sent;
    sent = one;
    pthread_mutex_unlock(&lock);
}

static void send_shadow(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    MPI_Comm shadow = shadow_of(comm);
    if (shadow == MPI_COMM_NULL || to == MPI_PROC_NULL) return;
    send_bytes(shadow_message(buffer, count, type), to, tag, shadow);
}

/* Shadow messages that arrived before the receive that they belong to was completed. */
static struct early {
    struct bytes message;
    int from, tag;
    MPI_Comm shadow;
    struct early *next;
} *early;

static struct bytes received(MPI_Message *handle, MPI_Status *status) {
    int size = 0;
    PMPI_Get_count(status, MPI_BYTE, &size);
    struct bytes message = {malloc(size + 8), size};
    PMPI_Mrecv(message.at, size, MPI_BYTE, handle, MPI_STATUS_IGNORE);
    return message;
}

static struct bytes next_message(int from, int tag, MPI_Comm shadow) {
    MPI_Message handle;
    MPI_Status status;
    if (PMPI_Mprobe(from, tag, shadow, &handle, &status) != MPI_SUCCESS) return (struct bytes){NULL, 0};
    return received(&handle, &status);
}

/* The next message, if one arrives before the deadline. */
static struct bytes next_message_until(double deadline, int from, int tag, MPI_Comm shadow) {
    MPI_Message handle;
    MPI_Status status;
    int has = 0;
    do {
        if (PMPI_Improbe(from, tag, shadow, &has, &handle, &status) != MPI_SUCCESS) break;
    } while (!has && PMPI_Wtime() < deadline);
    return has ? received(&handle, &status) : (struct bytes){NULL, 0};
}

static uint64_t hash_of_buffer(const void *buffer, int count, MPI_Datatype type) {
    int size = packed_size(count, type);
    unsigned char *values = malloc(size + 8);
    uint64_t hash = size > 0 && pack((uintptr_t)buffer, count, type, values, size) ? hash_of(values, size) : 0;
    free(values);
    return hash;
}

static int fits(struct bytes message, uint64_t hash, int size) {
    struct header header;
    memcpy(&header, message.at, sizeof header);
    return header.hash == hash && (int)header.bytes == size;
}

static int is_between(const struct early *one, int from, int tag, MPI_Comm shadow) {
    return one->from == from && one->tag == tag && one->shadow == shadow;
}

/* Takes the oldest early message that has this hash and size, or any if `size` is negative. */
static struct bytes taken_early(int from, int tag, MPI_Comm shadow, uint64_t hash, int size) {
    struct bytes message = {NULL, 0};
    pthread_mutex_lock(&lock);
    for (struct early **link = &early; *link; link = &(*link)->next) {
        struct early *one = *link;
        if (!is_between(one, from, tag, shadow) || (size >= 0 && !fits(one->message, hash, size))) continue;
        message = one->message;
        *link = one->next;
        free(one);
        break;
    }
    pthread_mutex_unlock(&lock);
    return message;
}

/* The oldest first: equal messages are taken in the order in which they were sent. */
static void keep_early(struct bytes message, int from, int tag, MPI_Comm shadow) {
    struct early *one = malloc(sizeof *one);
    *one = (struct early){message, from, tag, shadow, NULL};
    pthread_mutex_lock(&lock);
    struct early **last = &early;
    while (*last) last = &(*last)->next;
    *last = one;
    pthread_mutex_unlock(&lock);
}

static int number_of_early(int from, int tag, MPI_Comm shadow) {
    int number = 0;
    pthread_mutex_lock(&lock);
    for (struct early *one = early; one; one = one->next) number += is_between(one, from, tag, shadow);
    pthread_mutex_unlock(&lock);
    return number;
}

/* Receives that have not been completed and may get a message before this one (requests.c). */
static int outstanding(int from, int tag, MPI_Comm shadow);

/* The message with this hash and number of bytes, whichever others arrive before it; nothing if there is none.
 *
 * A program may change a buffer while MPI sends it: forbidden, and done. Then the hash was computed from other bytes. Every message
 * that has arrived has a shadow message that was sent before it. So if as many are here as receives are outstanding, and
 * one more, and none fits, the right one is among them; which one is unknown, and the oldest is dropped. */
static struct bytes matching(int from, int tag, MPI_Comm shadow, uint64_t hash, int size) {
    const double most_seconds = 10, few_seconds = 0.1;
    struct bytes message = taken_early(from, tag, shadow, hash, size);
    int here = message.at ? 0 : number_of_early(from, tag, shadow);
    if (!message.at && here == 0) {
        message = next_message(from, tag, shadow);
        if (!message.at || fits(message, hash, size)) return message;
        keep_early(message, from, tag, shadow);
        message.at = NULL;
        here = 1;
    }
    while (!message.at) {
        double patience = here <= outstanding(from, tag, shadow) ? most_seconds : few_seconds;
        message = next_message_until(PMPI_Wtime() + patience, from, tag, shadow);
        if (!message.at) {
            free(taken_early(from, tag, shadow, 0, -1).at);
            return message;
        }
        if (fits(message, hash, size)) break;
        keep_early(message, from, tag, shadow);
        message.at = NULL;
        here++;
    }
    return message;
}

static void doubt(void *buffer, int count, MPI_Datatype type);

/* After a receive: the shadow that fits what arrived. */
static void receive_shadow(void *buffer, MPI_Datatype type, const MPI_Status *status, MPI_Comm comm) {
    MPI_Comm shadow = shadow_of(comm);
    int count = 0, from = status->MPI_SOURCE, tag = status->MPI_TAG;
    if (shadow == MPI_COMM_NULL || from == MPI_PROC_NULL || from == MPI_ANY_SOURCE) return;
    /* The receiver's type may end in the middle of an element; bytes are right for what is contiguous. */
    PMPI_Get_count(status, type, &count);
    if (count == MPI_UNDEFINED) {
        PMPI_Get_count(status, MPI_BYTE, &count);
        type = MPI_BYTE;
    }
    struct bytes message = matching(from, tag, shadow, hash_of_buffer(buffer, count, type), packed_size(count, type));
    if (message.at)
        deliver(message, buffer, count, type);
    else if (is_explain(sendable_planes()))
        doubt(buffer, count, type);
    free(message.at);
}

#define SEND(NAME)                                                                                          \
    int MPI_##NAME(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {      \
        send_shadow(buffer, count, type, to, tag, comm);                                                    \
        return PMPI_##NAME(buffer, count, type, to, tag, comm);                                             \
    }
SEND(Send)
SEND(Ssend)
SEND(Rsend)
SEND(Bsend)

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
    MPI_Status own;
    MPI_Status *used = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Recv(buffer, count, type, from, tag, comm, used);
    if (result == MPI_SUCCESS) receive_shadow(buffer, type, used, comm);
    return result;
}

int MPI_Sendrecv(const void *sent_buffer, int sent_count, MPI_Datatype sent_type, int to, int sent_tag, void *buffer, int count,
                 MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
    MPI_Status own;
    MPI_Status *used = status == MPI_STATUS_IGNORE ? &own : status;
    send_shadow(sent_buffer, sent_count, sent_type, to, sent_tag, comm);
    int result = PMPI_Sendrecv(sent_buffer, sent_count, sent_type, to, sent_tag, buffer, count, type, from, tag, comm, used);
    if (result == MPI_SUCCESS) receive_shadow(buffer, type, used, comm);
    return result;
}

int MPI_Sendrecv_replace(void *buffer, int count, MPI_Datatype type, int to, int sent_tag, int from, int tag, MPI_Comm comm,
                         MPI_Status *status) {
    MPI_Status own;
    MPI_Status *used = status == MPI_STATUS_IGNORE ? &own : status;
    send_shadow(buffer, count, type, to, sent_tag, comm);
    int result = PMPI_Sendrecv_replace(buffer, count, type, to, sent_tag, from, tag, comm, used);
    if (result == MPI_SUCCESS) receive_shadow(buffer, type, used, comm);
    return result;
}

/* What is packed has its shadows beside it, packed in the same way. */
static int has_planes(const void *from, const void *to) {
    return is_on && is_mirrored(from) && is_mirrored(to);
}

int MPI_Pack(const void *from, int count, MPI_Datatype type, void *to, int size, int *position, MPI_Comm comm) {
    int start = *position;
    int result = PMPI_Pack(from, count, type, to, size, position, comm);
    for (int plane = 0; plane < PLANES && result == MPI_SUCCESS && has_planes(from, to); plane++) {
        int at = start;
        if (sendable_planes() >> plane & 1)
            PMPI_Pack((void *)mirror(from, plane), count, type, (void *)mirror(to, plane), size, &at, comm);
    }
    return result;
}

int MPI_Unpack(const void *from, int size, int *position, void *to, int count, MPI_Datatype type, MPI_Comm comm) {
    int start = *position;
    int result = PMPI_Unpack(from, size, position, to, count, type, comm);
    for (int plane = 0; plane < PLANES && result == MPI_SUCCESS && has_planes(from, to); plane++) {
        int at = start;
        if (sendable_planes() >> plane & 1)
            PMPI_Unpack((void *)mirror(from, plane), size, &at, (void *)mirror(to, plane), count, type, comm);
    }
    return result;
}

