/* Shadows travel with messages: a layer over MPI's profiling interface, linked into instrumented programs.
 *
 * `lostbits cc` compiles it against the user's mpi.h when it links a program with MPI, because the ABIs of MPI differ. It changes
 * nothing of what the program sends: the shadow of a message is a message of its own, in a duplicate of the communicator.
 *
 * Planes mirror memory at constant distances, so MPI's own datatypes describe the shadows, too: the cells of a message are
 * MPI_Pack of the same datatype at the mirrored address. A shadow message carries a hash of the data that it belongs to. The
 * receiver takes the one that fits what arrived, so the order in which requests complete does not matter.
 *
 * What it can miss: modes with high-precision numbers, communicators that this layer did not see being made (inter-communicators),
 * one-sided communication, MPI-IO, nonblocking collectives, reductions other than sums, products, minima and maxima of float and
 * double; values that arrive there are untracked. All processes of a job must have the layer, or none: LOSTBITS_MPI=off.
 */
#include <mpi.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLANES 5
static const uintptr_t distances[PLANES] = {LOSTBITS_DISTANCES};
#define OWNING_PLANE LOSTBITS_OWNING_PLANE

extern uint32_t __lostbits_planes_in_use(void) __attribute__((weak));
extern uint32_t __lostbits_explain_sent_set(uint32_t, uint32_t *) __attribute__((weak));
extern uint32_t __lostbits_explain_received_set(const uint32_t *, uint32_t) __attribute__((weak));
extern volatile uint32_t __lostbits_watch_alive __attribute__((weak));

static uintptr_t mirror(const void *at, int plane) {
    uintptr_t address = (uintptr_t)at;
    return address + (address < LOSTBITS_LOW_END ? LOSTBITS_LOW_ALIAS : 0) - distances[plane];
}

static int is_mirrored(const void *at) {
    uintptr_t address = (uintptr_t)at;
    static const uintptr_t regions[][2] = {LOSTBITS_REGIONS};
    if (address != 0 && address < LOSTBITS_LOW_END) return 1;
    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++)
        if (regions[i][0] <= address && address < regions[i][1]) return 1;
    return 0;
}

/* ---- communicators ---- */

static int keyval = MPI_KEYVAL_INVALID;
static int is_on;

static MPI_Comm shadow_of(MPI_Comm comm) {
    void *found;
    int has = 0;
    if (!is_on || comm == MPI_COMM_NULL) return MPI_COMM_NULL;
    PMPI_Comm_get_attr(comm, keyval, &found, &has);
    return has ? *(MPI_Comm *)found : MPI_COMM_NULL;
}

/* Collective, as the making of the communicator is. */
static void adopt(MPI_Comm comm) {
    int is_inter = 0;
    if (!is_on || comm == MPI_COMM_NULL) return;
    PMPI_Comm_test_inter(comm, &is_inter);
    if (is_inter) return;
    MPI_Comm *shadow = malloc(sizeof *shadow);
    /* Without attributes: MPI_Comm_dup would copy those of the program. */
    int rank;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_split(comm, 0, rank, shadow);
    PMPI_Comm_set_errhandler(*shadow, MPI_ERRORS_RETURN);
    PMPI_Comm_set_attr(comm, keyval, shadow);
}

static void start(void) {
    const char *setting = getenv("LOSTBITS_MPI");
    is_on = __lostbits_planes_in_use != NULL && !(setting && strcmp(setting, "off") == 0);
    if (!is_on) return;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    adopt(MPI_COMM_WORLD);
    adopt(MPI_COMM_SELF);
}

/* ---- what a message is made of ---- */

/* Behind the header: the cells of each plane in the mask, then a table of sets: their number of sites, and the sites. */
struct header {
    uint64_t hash;
    uint32_t bytes, planes, words, pad;
};

struct bytes {
    unsigned char *at;
    size_t size;
};

static uint64_t hash_of(const unsigned char *at, size_t size) {
    uint64_t hash = size * 0x9e3779b97f4a7c15u;
    for (; size >= 8; at += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = (hash ^ word) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    while (size--) hash = (hash ^ *at++) * 0x100000001b3u;
    return hash;
}

static int packed_size(int count, MPI_Datatype type) {
    int size = 0;
    PMPI_Type_size(type, &size);
    return count > 0 && size > 0 ? size * count : 0;
}

/* The bytes of a buffer, or of its mirror, one element after the other. */
static int pack(uintptr_t at, int count, MPI_Datatype type, unsigned char *to, int size) {
    int position = 0;
    return PMPI_Pack((void *)at, count, type, to, size, &position, MPI_COMM_SELF) == MPI_SUCCESS && position == size;
}

static void unpack(uintptr_t at, int count, MPI_Datatype type, unsigned char *from, int size) {
    int position = 0;
    PMPI_Unpack(from, size, &position, (void *)at, count, type, MPI_COMM_SELF);
}

static uint32_t sendable_planes(void) {
    return __lostbits_planes_in_use() & ~(1u << OWNING_PLANE);
}

static int is_zero(const unsigned char *at, size_t size) {
    return size == 0 || (at[0] == 0 && memcmp(at, at + 1, size - 1) == 0);
}

/* Calls `change` with the influences of every cell of mode explain that belongs to the value beside it. Cells of doubles have 8 bytes
 * in planes 0 to 2, those of floats 4 in planes 0 to 3; where they begin in the packed bytes is found by the values' signatures. */
static void each_influence(const unsigned char *values, unsigned char *cells, size_t size, void (*change)(uint32_t *, void *), void *context) {
    size_t at = 0;
    while (at + 4 <= size) {
        uint64_t wide = 0, wide_cell = 0;
        uint32_t bits, cell, set;
        memcpy(&bits, values + at, 4);
        memcpy(&cell, cells + size + at, 4);
        if (at + 8 <= size) {
            memcpy(&wide, values + at, 8);
            memcpy(&wide_cell, cells + size + at, 8);
            if (wide && (uint32_t)wide_cell == (uint32_t)(wide ^ wide >> 32)) {
                uint64_t meta;
                memcpy(&meta, cells + 2 * size + at, 8);
                set = meta >> 32;
                change(&set, context);
                meta = (uint64_t)set << 32;
                memcpy(cells + 2 * size + at, &meta, 8);
                at += 8;
                continue;
            }
        }
        if (bits && (uint16_t)cell == (uint16_t)(bits ^ bits >> 16)) {
            static const uint32_t no_node = 0;
            memcpy(&set, cells + 3 * size + at, 4);
            change(&set, context);
            memcpy(cells + 3 * size + at, &set, 4);
            memcpy(cells + 2 * size + at, &no_node, 4);
        }
        at += 4;
    }
}

static int is_explain(uint32_t planes) {
    return (planes & 0xf) == 0xf && __lostbits_explain_sent_set != NULL;
}

struct table {
    uint32_t *words, used, room;
    uint32_t last_set, last_index;
};

/* Replaces a set by its number in the table, from 1 on. */
static void export_set(uint32_t *set, void *context) {
    struct table *table = context;
    uint32_t sites[64], index = 1, at = 0;
    if (*set == 0) return;
    if (*set == table->last_set) {
        *set = table->last_index;
        return;
    }
    uint32_t count = __lostbits_explain_sent_set(*set, sites);
    table->last_set = *set;
    for (; at < table->used; at += 1 + table->words[at], index++)
        if (table->words[at] == count && memcmp(table->words + at + 1, sites, count * 4) == 0) break;
    if (at == table->used) {
        if (at + 1 + count > table->room) {
            table->room = 2 * (at + 1 + count);
            table->words = realloc(table->words, table->room * 4);
        }
        table->words[at] = count;
        memcpy(table->words + at + 1, sites, count * 4);
        table->used = at + 1 + count;
    }
    *set = table->last_index = index;
}

static void import_set(uint32_t *set, void *context) {
    struct table *table = context;
    uint32_t at = 0, index = *set;
    if (index == 0) return;
    if (index == table->last_set) {
        *set = table->last_index;
        return;
    }
    while (at < table->used && --index) at += 1 + table->words[at];
    uint32_t found = at < table->used ? __lostbits_explain_received_set(table->words + at + 1, table->words[at]) : 0;
    table->last_set = *set;
    *set = table->last_index = found;
}

/* The shadow message of a buffer. */
static struct bytes shadow_message(const void *buffer, int count, MPI_Datatype type) {
    int size = packed_size(count, type);
    uint32_t planes = sendable_planes(), all = is_explain(planes) ? 4 : 1;
    int number = __builtin_popcount(planes);
    struct header header = {0, size, 0, 0, 0};
    unsigned char *values = malloc(size + 8);
    unsigned char *message = calloc(1, sizeof header + (size_t)number * size + 8);
    struct table table = {0};
    size_t length = sizeof header;
    if (size > 0 && pack((uintptr_t)buffer, count, type, values, size)) {
        header.hash = hash_of(values, size);
        if (is_mirrored(buffer) && number > 0) {
            unsigned char *cells = message + sizeof header;
            int has_any = 0, packed = 1;
            for (int plane = 0, at = 0; plane < PLANES; plane++)
                if (planes >> plane & 1) {
                    packed &= pack(mirror(buffer, plane), count, type, cells + (size_t)at * size, size);
                    has_any |= !is_zero(cells + (size_t)at * size, size);
                    at++;
                }
            if (packed && has_any) {
                header.planes = planes;
                length += (size_t)number * size;
                if (all == 4) each_influence(values, cells, size, export_set, &table);
                header.words = table.used;
                message = realloc(message, length + table.used * 4 + 8);
                memcpy(message + length, table.words, table.used * 4);
                length += table.used * 4;
            }
        }
    }
    memcpy(message, &header, sizeof header);
    free(table.words);
    free(values);
    return (struct bytes){message, length};
}

/* Writes the shadows of a message beside the data that arrived. */
static void deliver(struct bytes message, const void *buffer, int count, MPI_Datatype type) {
    struct header header;
    memcpy(&header, message.at, sizeof header);
    int size = packed_size(count, type);
    uint32_t planes = header.planes & sendable_planes();
    if (planes != header.planes || planes == 0 || (int)header.bytes != size || !is_mirrored(buffer)) return;
    unsigned char *cells = message.at + sizeof header;
    if (is_explain(planes)) {
        size_t behind = sizeof header + (size_t)__builtin_popcount(planes) * size;
        struct table table = {(uint32_t *)malloc(header.words * 4 + 4), header.words, header.words, 0, 0};
        unsigned char *values = malloc(size + 8);
        memcpy(table.words, message.at + behind, header.words * 4);
        if (pack((uintptr_t)buffer, count, type, values, size)) each_influence(values, cells, size, import_set, &table);
        free(values);
        free(table.words);
    } else if (planes == 1u << 3 && &__lostbits_watch_alive) {
        __atomic_fetch_or(&__lostbits_watch_alive, 1, __ATOMIC_RELAXED);
    }
    for (int plane = 0, at = 0; plane < PLANES; plane++)
        if (planes >> plane & 1) unpack(mirror(buffer, plane), count, type, cells + (size_t)at++ * size, size);
}

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

static struct bytes next_message(int from, int tag, MPI_Comm shadow) {
    MPI_Message handle;
    MPI_Status status;
    int size = 0;
    struct bytes message = {NULL, 0};
    if (PMPI_Mprobe(from, tag, shadow, &handle, &status) != MPI_SUCCESS) return message;
    PMPI_Get_count(&status, MPI_BYTE, &size);
    message = (struct bytes){malloc(size + 8), size};
    PMPI_Mrecv(message.at, size, MPI_BYTE, &handle, MPI_STATUS_IGNORE);
    return message;
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
    uint64_t hash = hash_of_buffer(buffer, count, type);
    int size = packed_size(count, type);
    pthread_mutex_lock(&lock);
    for (struct early **link = &early; *link; link = &(*link)->next) {
        struct early *one = *link;
        if (one->from == from && one->tag == tag && one->shadow == shadow && fits(one->message, hash, size)) {
            *link = one->next;
            pthread_mutex_unlock(&lock);
            deliver(one->message, buffer, count, type);
            free(one->message.at);
            free(one);
            return;
        }
    }
    pthread_mutex_unlock(&lock);
    for (;;) {
        struct bytes message = next_message(from, tag, shadow);
        if (!message.at) return;
        if (fits(message, hash, size)) {
            deliver(message, buffer, count, type);
            free(message.at);
            return;
        }
        struct early *one = malloc(sizeof *one);
        *one = (struct early){message, from, tag, shadow, NULL};
        pthread_mutex_lock(&lock);
        one->next = early;
        early = one;
        pthread_mutex_unlock(&lock);
    }
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

int MPI_Mrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status) {
    /* The communicator is not known here: the shadow stays behind, and what arrives is untracked. */
    return PMPI_Mrecv(buffer, count, type, message, status);
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

/* ---- requests ---- */

static struct pending {
    MPI_Request request;
    const void *buffer;
    int count, peer, tag, is_send, is_persistent, is_type_ours;
    MPI_Datatype type;
    MPI_Comm comm;
    struct pending *next;
} *pending[1024];

static struct pending **bucket(MPI_Request request) {
    return &pending[((uintptr_t)request ^ (uintptr_t)request >> 10) % 1024];
}

static void remember(MPI_Request request, const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                     int is_send, int is_persistent) {
    if (shadow_of(comm) == MPI_COMM_NULL || request == MPI_REQUEST_NULL) return;
    struct pending *one = malloc(sizeof *one);
    *one = (struct pending){request, buffer, count, peer, tag, is_send, is_persistent, 0, type, comm, NULL};
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

static void completed(MPI_Request request, const MPI_Status *status) {
    struct pending *one = request == MPI_REQUEST_NULL ? NULL : taken(request, 0);
    int is_cancelled = 0;
    if (!one) return;
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

/* ---- collectives: each piece that moves from one process to another has a shadow message of its own ---- */

#define COLLECTIVE_TAG 0

static void *piece(const void *buffer, long elements, MPI_Datatype type) {
    MPI_Aint lower, extent;
    PMPI_Type_get_extent(type, &lower, &extent);
    return (char *)buffer + elements * extent;
}

/* Behind the communicator's own messages: pieces are received in order, and their hashes tell them from others. */
static void give(const void *buffer, int count, MPI_Datatype type, int to, MPI_Comm comm) {
    send_shadow(buffer, count, type, to, COLLECTIVE_TAG, comm);
}

static void take(void *buffer, int count, MPI_Datatype type, int from, MPI_Comm comm) {
    MPI_Status status;
    int size = 0, bytes = packed_size(count, type);
    (void)size;
    memset(&status, 0, sizeof status);
    status.MPI_SOURCE = from;
    status.MPI_TAG = COLLECTIVE_TAG;
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
        if (other != rank) send_bytes(messages[other], other, COLLECTIVE_TAG, shadow_of(comm));
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

/* ---- reductions (mode explain): what exact arithmetic makes of all contributions ---- */

struct number {
    double value, residue, bound;
    uint32_t set;
};

/* A contribution as the sender knows it. */
static void read_number(const void *at, int is_float, struct number *number) {
    memset(number, 0, sizeof *number);
    if (is_float) {
        uint32_t bits, cell, bound;
        float value, residue, width;
        memcpy(&value, at, 4);
        memcpy(&bits, at, 4);
        number->value = value;
        memcpy(&cell, (void *)mirror(at, 1), 4);
        if ((uint16_t)cell != (uint16_t)(bits ^ bits >> 16)) return;
        memcpy(&residue, (void *)mirror(at, 0), 4);
        bound = cell & 0xffff0000u;
        memcpy(&width, &bound, 4);
        number->residue = residue;
        number->bound = width;
        memcpy(&number->set, (void *)mirror(at, 3), 4);
        return;
    }
    uint64_t bits, cell, bound, meta;
    memcpy(&number->value, at, 8);
    memcpy(&bits, at, 8);
    memcpy(&cell, (void *)mirror(at, 1), 8);
    if ((uint32_t)cell != (uint32_t)(bits ^ bits >> 32)) return;
    memcpy(&number->residue, (void *)mirror(at, 0), 8);
    bound = cell & 0x7fffffff00000000u;
    memcpy(&number->bound, &bound, 8);
    memcpy(&meta, (void *)mirror(at, 2), 8);
    number->set = meta >> 32;
}

/* Bounds are rounded up to what a cell has room for. */
static void write_number(void *at, int is_float, struct number number) {
    if (is_float) {
        uint32_t bits, cell, node = 0;
        float residue = (float)number.residue, bound = (float)(number.bound + fabs(number.residue) * 0x1p-23);
        memcpy(&bits, at, 4);
        memcpy(&cell, &bound, 4);
        cell = ((cell + (bound > 0 ? 0xffff : 0)) & 0x7fff0000u) | (uint16_t)(bits ^ bits >> 16);
        memcpy((void *)mirror(at, 0), &residue, 4);
        memcpy((void *)mirror(at, 1), &cell, 4);
        memcpy((void *)mirror(at, 2), &node, 4);
        memcpy((void *)mirror(at, 3), &number.set, 4);
        return;
    }
    uint64_t bits, cell, meta = (uint64_t)number.set << 32;
    memcpy(&bits, at, 8);
    memcpy(&cell, &number.bound, 8);
    cell = ((cell + (number.bound > 0 ? 0xffffffffu : 0)) & 0x7fffffff00000000u) | (uint32_t)(bits ^ bits >> 32);
    memcpy((void *)mirror(at, 0), &number.residue, 8);
    memcpy((void *)mirror(at, 1), &cell, 8);
    memcpy((void *)mirror(at, 2), &meta, 8);
}

/* The sum of two numbers of twice the precision, (high, low). */
static void add_to(double *high, double *low, double x) {
    double s = *high + x, b = s - *high;
    *low += (*high - (s - b)) + (x - b);
    *high = s;
}

/* The exact result over all ranks, as a residue of what MPI computed. */
static struct number reduce_exactly(const struct number *all, int ranks, MPI_Op op, double computed) {
    double high = all[0].value, low = 0, bound = all[0].bound, magnitude = fabs(all[0].value);
    double chosen_residue = all[0].residue;
    add_to(&high, &low, all[0].residue);
    for (int i = 1; i < ranks; i++) {
        const struct number *one = &all[i];
        if (op == MPI_SUM) {
            add_to(&high, &low, one->value);
            add_to(&high, &low, one->residue);
            bound += one->bound;
            magnitude += fabs(one->value);
        } else if (op == MPI_PROD) {
            double exact = one->value + one->residue, product = high * exact, rest = fma(high, exact, -product);
            bound = bound * fabs(exact) + one->bound * fabs(high);
            low = low * exact + rest + high * (one->residue - (exact - one->value));
            high = product;
            magnitude = fabs(product);
        } else {
            int is_better = op == MPI_MAX ? one->value + one->residue > high + low : one->value + one->residue < high + low;
            if (is_better) {
                high = one->value;
                low = 0;
                chosen_residue = one->residue;
                bound = one->bound;
            } else if (one->value == high && fabs(one->residue) > fabs(chosen_residue)) {
                bound = fmax(bound, fabs(one->residue - chosen_residue));
            }
        }
    }
    if (op == MPI_MAX || op == MPI_MIN) low = chosen_residue + (high == all[0].value && low != 0 ? 0 : 0);
    struct number result = {computed, (high - computed) + low, bound + magnitude * ranks * 0x1p-100, 0};
    return result;
}

static int is_reducible(MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return is_tracked(comm) && is_explain(sendable_planes()) &&
           (type == MPI_DOUBLE || type == MPI_FLOAT
#ifdef MPI_DOUBLE_PRECISION
            || type == MPI_DOUBLE_PRECISION || type == MPI_REAL
#endif
            ) &&
           (op == MPI_SUM || op == MPI_PROD || op == MPI_MAX || op == MPI_MIN);
}

static int is_float_type(MPI_Datatype type) {
    int size = 8;
    PMPI_Type_size(type, &size);
    return size == 4;
}

/* The numbers of this rank, with sets as lists: [count, sites...] for each. */
struct contribution {
    struct number *numbers;
    uint32_t *words;
    int count, used;
};

static struct contribution contribution(const void *buffer, int count, int is_float) {
    struct contribution own = {malloc((count + 1) * sizeof(struct number)), malloc(((size_t)count * 65 + 1) * 4), count, 0};
    for (int i = 0; i < count; i++) {
        const char *at = (const char *)buffer + (size_t)i * (is_float ? 4 : 8);
        read_number(at, is_float, &own.numbers[i]);
        uint32_t *list = own.words + own.used;
        list[0] = own.numbers[i].set ? __lostbits_explain_sent_set(own.numbers[i].set, list + 1) : 0;
        own.used += 1 + list[0];
    }
    return own;
}

/* Collective over the communicator; the ranks of `first` to `last` contribute to what this one has in `buffer`. */
static void reduce_shadows(struct contribution own, void *buffer, MPI_Op op, int is_float, int last, MPI_Comm comm) {
    MPI_Comm shadow = shadow_of(comm);
    int ranks = size_of(comm), all_words = 0;
    int *used = malloc(ranks * sizeof *used), *starts = malloc(ranks * sizeof *starts);
    int bytes = own.count * (int)sizeof(struct number);
    struct number *all = malloc((size_t)ranks * bytes + 1), *column = malloc(ranks * sizeof *column);
    PMPI_Allgather(&own.used, 1, MPI_INT, used, 1, MPI_INT, shadow);
    for (int i = 0; i < ranks; i++) {
        starts[i] = all_words;
        all_words += used[i];
    }
    uint32_t *words = malloc((size_t)all_words * 4 + 4);
    PMPI_Allgather(own.numbers, bytes, MPI_BYTE, all, bytes, MPI_BYTE, shadow);
    PMPI_Allgatherv(own.words, own.used, MPI_INT, words, used, starts, MPI_INT, shadow);
    for (int i = 0; i < own.count && buffer && is_mirrored(buffer); i++) {
        char *at = (char *)buffer + (size_t)i * (is_float ? 4 : 8);
        uint32_t sites[64 * 64], number = 0;
        for (int rank = 0; rank < ranks; rank++) {
            column[rank] = all[(size_t)rank * own.count + i];
            uint32_t *list = words + starts[rank];
            starts[rank] += 1 + list[0];
            for (uint32_t k = 0; rank <= last && k < list[0] && number < 64 * 64; k++) sites[number++] = list[1 + k];
        }
        struct number computed;
        read_number(at, is_float, &computed);
        struct number result = reduce_exactly(column, last + 1, op, computed.value);
        result.set = number ? __lostbits_explain_received_set(sites, number) : 0;
        write_number(at, is_float, result);
    }
    free(words), free(column), free(all), free(starts), free(used), free(own.numbers), free(own.words);
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    int is_float = is_float_type(type), tracks = count > 0 && is_reducible(type, op, comm);
    struct contribution own;
    if (tracks) own = contribution(from == MPI_IN_PLACE ? to : from, count, is_float);
    int result = PMPI_Allreduce(from, to, count, type, op, comm);
    if (tracks) reduce_shadows(own, to, op, is_float, size_of(comm) - 1, comm);
    return result;
}

int MPI_Reduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    int is_float = is_float_type(type), tracks = count > 0 && is_reducible(type, op, comm), is_root = rank_in(comm) == root;
    struct contribution own;
    if (tracks) own = contribution(from == MPI_IN_PLACE ? to : from, count, is_float);
    int result = PMPI_Reduce(from, to, count, type, op, root, comm);
    if (tracks) reduce_shadows(own, is_root ? to : NULL, op, is_float, size_of(comm) - 1, comm);
    return result;
}

int MPI_Scan(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    int is_float = is_float_type(type), tracks = count > 0 && is_reducible(type, op, comm);
    struct contribution own;
    if (tracks) own = contribution(from == MPI_IN_PLACE ? to : from, count, is_float);
    int result = PMPI_Scan(from, to, count, type, op, comm);
    if (tracks) reduce_shadows(own, to, op, is_float, rank_in(comm), comm);
    return result;
}

/* ---- the job, and communicators that it makes ---- */

int MPI_Init(int *count, char ***arguments) {
    int result = PMPI_Init(count, arguments);
    if (result == MPI_SUCCESS) start();
    return result;
}

int MPI_Init_thread(int *count, char ***arguments, int required, int *provided) {
    int result = PMPI_Init_thread(count, arguments, required, provided);
    if (result == MPI_SUCCESS) start();
    return result;
}

int MPI_Finalize(void) {
    release_sent(1);
    return PMPI_Finalize();
}

#define MAKES(NAME, PARAMETERS, ARGUMENTS)                        \
    int MPI_##NAME PARAMETERS {                                   \
        int result = PMPI_##NAME ARGUMENTS;                       \
        if (result == MPI_SUCCESS) adopt(*made);                  \
        return result;                                            \
    }
MAKES(Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made))
MAKES(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made))
MAKES(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made), (comm, type, key, info, made))
MAKES(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made))
MAKES(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made), (comm, group, tag, made))
MAKES(Cart_create, (MPI_Comm comm, int n, const int dims[], const int periods[], int reorder, MPI_Comm *made),
      (comm, n, dims, periods, reorder, made))
MAKES(Cart_sub, (MPI_Comm comm, const int remains[], MPI_Comm *made), (comm, remains, made))

int MPI_Comm_free(MPI_Comm *comm) {
    MPI_Comm shadow = shadow_of(*comm);
    if (shadow != MPI_COMM_NULL) {
        void *found;
        int has;
        release_sent(1);
        PMPI_Comm_get_attr(*comm, keyval, &found, &has);
        PMPI_Comm_delete_attr(*comm, keyval);
        PMPI_Comm_free(&shadow);
        free(found);
    }
    return PMPI_Comm_free(comm);
}

/* Callers need not compare memory before and after these calls. */
#define MARK_MODE(MODE, NAME) const char __lostbits_compiled_##MODE##_MPI_##NAME __attribute__((weak)) = 1;
#define MARK(NAME)                                                          \
    MARK_MODE(same, NAME) MARK_MODE(explain, NAME) MARK_MODE(watch, NAME)   \
    MARK_MODE(symbolic, NAME) MARK_MODE(carry, NAME)
MARK(Send) MARK(Ssend) MARK(Rsend) MARK(Bsend) MARK(Recv) MARK(Sendrecv) MARK(Sendrecv_replace)
MARK(Isend) MARK(Issend) MARK(Irsend) MARK(Ibsend) MARK(Irecv) MARK(Wait) MARK(Waitall) MARK(Waitany) MARK(Waitsome)
MARK(Test) MARK(Testall) MARK(Testany) MARK(Testsome) MARK(Start) MARK(Startall)
MARK(Send_init) MARK(Ssend_init) MARK(Rsend_init) MARK(Bsend_init) MARK(Recv_init)
MARK(Bcast) MARK(Gather) MARK(Gatherv) MARK(Scatter) MARK(Scatterv) MARK(Allgather) MARK(Allgatherv)
MARK(Alltoall) MARK(Alltoallv) MARK(Allreduce) MARK(Reduce) MARK(Scan)
MARK(Init) MARK(Init_thread) MARK(Finalize) MARK(Comm_rank) MARK(Comm_size) MARK(Comm_dup) MARK(Comm_split) MARK(Comm_free)
MARK(Type_commit) MARK(Type_free) MARK(Type_vector) MARK(Type_contiguous) MARK(Type_create_struct) MARK(Type_indexed)
MARK(Get_count) MARK(Probe) MARK(Iprobe) MARK(Cart_create) MARK(Cart_coords) MARK(Cart_shift) MARK(Barrier)
