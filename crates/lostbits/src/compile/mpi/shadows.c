/* Shadows travel with messages: a layer over MPI's profiling interface, linked into instrumented programs.
 *
 * `lostbits cc` compiles it against the user's mpi.h when it links a program with MPI, because the ABIs of MPI differ. It changes
 * nothing of what the program sends: the shadow of a message is a message of its own, in a duplicate of the communicator.
 *
 * Planes mirror memory at constant distances, so MPI's own datatypes describe the shadows, too: the cells of a message are
 * MPI_Pack of the same datatype at the mirrored address. A shadow message carries a hash of the data that it belongs to. The
 * receiver takes the one that fits what arrived, so the order in which requests complete does not matter. If none fits, because the
 * program changed a buffer while it was sent, what arrived is undecided.
 *
 * What it can miss: modes with high-precision numbers, communicators that this layer did not see being made (inter-communicators),
 * MPI-IO, neighbourhood collectives, accumulations in windows; values that arrive there are untracked. All processes of a job must have
 * the layer, or none: LOSTBITS_MPI=off.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define fabs __builtin_fabs
#define PLANES 5
static const uintptr_t distances[PLANES] = {LOSTBITS_DISTANCES};
#define OWNING_PLANE LOSTBITS_OWNING_PLANE

extern uint32_t __lostbits_planes_in_use(void) __attribute__((weak));
extern uint32_t __lostbits_explain_sent_set(uint32_t, uint32_t *) __attribute__((weak));
extern uint32_t __lostbits_explain_received_set(const uint32_t *, uint32_t) __attribute__((weak));
extern void __lostbits_watch_stored(uintptr_t, uintptr_t) __attribute__((weak));

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
/* The largest that there is, which programs do not use. */
static int collective_tag = 32767;

/* The communicator's attribute. */
struct beside {
    MPI_Comm shadow;
    /* How many nonblocking reductions have started: their contributions are told apart by this. */
    uint64_t reductions;
};

static struct beside *beside(MPI_Comm comm) {
    void *found;
    int has = 0;
    if (!is_on || comm == MPI_COMM_NULL) return NULL;
    PMPI_Comm_get_attr(comm, keyval, &found, &has);
    return has ? found : NULL;
}

static MPI_Comm shadow_of(MPI_Comm comm) {
    struct beside *one = beside(comm);
    return one ? one->shadow : MPI_COMM_NULL;
}

/* Collective, as the making of the communicator is. */
static void adopt(MPI_Comm comm) {
    int is_inter = 0;
    if (!is_on || comm == MPI_COMM_NULL) return;
    PMPI_Comm_test_inter(comm, &is_inter);
    if (is_inter) return;
    struct beside *made = calloc(1, sizeof *made);
    /* Without attributes: MPI_Comm_dup would copy those of the program. */
    int rank;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_split(comm, 0, rank, &made->shadow);
    PMPI_Comm_set_errhandler(made->shadow, MPI_ERRORS_RETURN);
    PMPI_Comm_set_attr(comm, keyval, made);
}

static void start(void) {
    const char *setting = getenv("LOSTBITS_MPI");
    is_on = __lostbits_planes_in_use != NULL && !(setting && strcmp(setting, "off") == 0);
    if (!is_on) return;
    int *largest, has = 0;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &has);
    if (has) collective_tag = *largest;
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

/* What begins at a packed byte. */
enum kind { NOTHING, DOUBLE, FLOAT, UNKNOWN };

static size_t repeat(unsigned char *kinds, size_t at, size_t one, long times) {
    for (long i = 1; i < times; i++) memcpy(kinds + at + i * one, kinds + at, one);
    return at + (times > 0 ? one * times : 0);
}

static size_t describe_named(MPI_Datatype type, unsigned char *kinds, size_t at) {
    int size = 0, step = 4;
    enum kind kind = NOTHING;
    PMPI_Type_size(type, &size);
    if (type == MPI_DOUBLE || type == MPI_DOUBLE_PRECISION || type == MPI_C_DOUBLE_COMPLEX || type == MPI_DOUBLE_COMPLEX ||
        type == MPI_DOUBLE_INT || type == MPI_REAL8 || type == MPI_COMPLEX16)
        kind = DOUBLE, step = 8;
    else if (type == MPI_FLOAT || type == MPI_REAL || type == MPI_C_FLOAT_COMPLEX || type == MPI_COMPLEX ||
             type == MPI_FLOAT_INT || type == MPI_REAL4 || type == MPI_COMPLEX8)
        kind = FLOAT;
    else if (type == MPI_BYTE || type == MPI_PACKED || type == MPI_CHAR || type == MPI_UNSIGNED_CHAR || type == MPI_INT8_T ||
             type == MPI_UINT8_T)
        kind = UNKNOWN, step = 1;
    memset(kinds + at, NOTHING, size);
    if (type == MPI_DOUBLE_INT || type == MPI_FLOAT_INT) {
        kinds[at] = kind;
        return at + size;
    }
    for (int i = 0; i + step <= size && kind != NOTHING; i += step) kinds[at + i] = kind;
    return at + size;
}

/* Writes the kinds of one element of a type, in the order of packing; returns where it ends. */
static size_t describe(MPI_Datatype type, unsigned char *kinds, size_t at) {
    int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED, size = 0;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    if (combiner == MPI_COMBINER_NAMED) return describe_named(type, kinds, at);
    int *numbers = malloc((integers + 1) * sizeof *numbers);
    MPI_Aint *places = malloc((addresses + 1) * sizeof *places);
    MPI_Datatype *parts = malloc((types + 1) * sizeof *parts);
    PMPI_Type_get_contents(type, integers, addresses, types, numbers, places, parts);
    PMPI_Type_size(type, &size);
    size_t end = at;
    if (combiner == MPI_COMBINER_STRUCT) {
        for (int i = 0; i < types; i++) {
            if (numbers[1 + i] <= 0) continue;
            size_t one = describe(parts[i], kinds, end) - end;
            end = repeat(kinds, end, one, numbers[1 + i]);
        }
    } else if (types == 1 && size > 0) {
        /* All others are one type many times. */
        size_t one = describe(parts[0], kinds, at) - at;
        end = one ? repeat(kinds, at, one, size / one) : at;
    }
    if (end != at + size) memset(kinds + at, UNKNOWN, size);
    for (int i = 0; i < types; i++) {
        int inner[3], is_named = MPI_COMBINER_NAMED;
        PMPI_Type_get_envelope(parts[i], inner, inner + 1, inner + 2, &is_named);
        if (is_named != MPI_COMBINER_NAMED) PMPI_Type_free(&parts[i]);
    }
    free(numbers), free(places), free(parts);
    return at + size;
}

/* Calls `change` with the influences of every cell of mode explain that belongs to the value beside it. Cells of doubles have 8 bytes
 * in planes 0 to 2, those of floats 4 in planes 0 to 3. Bytes of unknown type that fit the cell of a double are one. */
static void each_influence(MPI_Datatype type, const unsigned char *values, unsigned char *cells, size_t size,
                           void (*change)(uint32_t *, void *), void *context) {
    int one_size = 0;
    PMPI_Type_size(type, &one_size);
    unsigned char *kinds = malloc(one_size + 8);
    describe(type, kinds, 0);
    for (size_t at = 0; at < size;) {
        enum kind kind = kinds[at % one_size];
        uint32_t set, bits, cell;
        uint64_t wide, wide_cell, meta;
        if (kind == NOTHING || at + 4 > size) {
            at++;
            continue;
        }
        if (kind != FLOAT && at + 8 <= size && (kind == DOUBLE || at % 4 == 0)) {
            memcpy(&wide, values + at, 8);
            memcpy(&wide_cell, cells + size + at, 8);
            memcpy(&meta, cells + 2 * size + at, 8);
            int fits = (uint32_t)wide_cell == (uint32_t)(wide ^ wide >> 32);
            if (kind == DOUBLE || (fits && (wide || meta))) {
                set = fits ? meta >> 32 : 0;
                change(&set, context);
                meta = (uint64_t)set << 32;
                memcpy(cells + 2 * size + at, &meta, 8);
                at += 8;
                continue;
            }
        }
        if (kind == FLOAT || at % 4 == 0) {
            static const uint32_t no_node = 0;
            memcpy(&bits, values + at, 4);
            memcpy(&cell, cells + size + at, 4);
            memcpy(&set, cells + 3 * size + at, 4);
            int fits = (uint16_t)cell == (uint16_t)(bits ^ bits >> 16);
            if (kind == FLOAT || (fits && set)) {
                if (!fits) set = 0;
                change(&set, context);
                memcpy(cells + 3 * size + at, &set, 4);
                memcpy(cells + 2 * size + at, &no_node, 4);
            }
            at += 4;
            continue;
        }
        at++;
    }
    free(kinds);
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
                if (all == 4) each_influence(type, values, cells, size, export_set, &table);
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
        if (pack((uintptr_t)buffer, count, type, values, size)) each_influence(type, values, cells, size, import_set, &table);
        free(values);
        free(table.words);
    } else if (planes == 1u << 3 && __lostbits_watch_stored) {
        __lostbits_watch_stored(0, 0); /* wherever the type puts them */
    }
    for (int plane = 0, at = 0; plane < PLANES; plane++)
        if (planes >> plane & 1) unpack(mirror(buffer, plane), count, type, cells + (size_t)at++ * size, size);
}

