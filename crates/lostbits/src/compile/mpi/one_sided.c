/* ---- one-sided communication: windows have windows beside them ----
 *
 * Each plane of a window's memory is a window itself, at mirrored addresses, with the same displacements. So a Put is one Put more
 * for each plane, with the same datatypes, completed by the same synchronisation, without any help of the target. Influences
 * mean something in one process only: what is put names at most two sites in a word that all processes understand
 * (`abi::explain::set`); what is got is translated where it has arrived, by a window on the target's sets.
 *
 * What it can miss: accumulations other than MPI_REPLACE, compare-and-swap, shared windows, request-based calls, dynamic windows; the
 * tool names them. Influences beyond two sites of what is put. */

/* The tables of sets, as the runtime has them: the sites of bits, places of lists, lists. */
#define TABLES 3
extern void __lostbits_explain_tables(const void *at[TABLES], uint64_t bytes[TABLES]) __attribute__((weak));

struct copied {
    void *at;
    int target;
    struct copied *next;
};

/* Numbers that were got, whose influences are the target's until they are translated. */
struct got {
    void *buffer;
    int count, target;
    MPI_Datatype type;
    struct got *next;
};

static struct window {
    MPI_Win window, planes[PLANES], tables[TABLES];
    MPI_Comm comm;
    int target; /* of what is being put */
    int *skips; /* of each rank and table: words between the start of the window and the table */
    struct copied *copied;
    struct got *got;
    struct window *next;
} *windows;

static struct window *window_of(MPI_Win window) {
    pthread_mutex_lock(&lock);
    struct window *one = windows;
    while (one && one->window != window) one = one->next;
    pthread_mutex_unlock(&lock);
    return one;
}

static int has_tables(void) {
    return is_explain(sendable_planes()) && __lostbits_explain_tables;
}

static void watch_wakes(void) {
    if (sendable_planes() == 1u << 3 && __lostbits_watch_stored) __lostbits_watch_stored(0, 0);
}

/* Collective, as the making of the window is. */
static void adopt_window(MPI_Win window, void *base, MPI_Aint size, int unit, MPI_Comm comm) {
    int can_all = 0, can = size == 0 || (is_mirrored(base) && is_mirrored((char *)base + size - 1));
    if (!is_tracked(comm) || sendable_planes() == 0) return;
    PMPI_Allreduce(&can, &can_all, 1, MPI_INT, MPI_MIN, shadow_of(comm));
    if (!can_all) return;
    struct window *one = calloc(1, sizeof *one);
    one->window = window;
    one->comm = shadow_of(comm);
    uint32_t planes = sendable_planes();
    for (int plane = 0; plane < PLANES; plane++)
        if (planes >> plane & 1)
            PMPI_Win_create(size ? (void *)mirror(base, plane) : NULL, size, unit, MPI_INFO_NULL, one->comm, &one->planes[plane]);
    if (has_tables()) {
        const void *at[TABLES];
        uint64_t bytes[TABLES];
        int skips[TABLES];
        __lostbits_explain_tables(at, bytes);
        /* MPICH 4.0 over UCX rounds the addresses of windows down to 16. */
        for (int i = 0; i < TABLES; i++) {
            uintptr_t skip = (uintptr_t)at[i] % 16;
            skips[i] = skip / 4;
            PMPI_Win_create((char *)at[i] - skip, bytes[i] + skip, 4, MPI_INFO_NULL, one->comm, &one->tables[i]);
        }
        one->skips = malloc(size_of(one->comm) * sizeof skips);
        PMPI_Allgather(skips, TABLES, MPI_INT, one->skips, TABLES, MPI_INT, one->comm);
    }
    watch_wakes();
    pthread_mutex_lock(&lock);
    one->next = windows;
    windows = one;
    pthread_mutex_unlock(&lock);
}

int MPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *window) {
    int result = PMPI_Win_create(base, size, unit, info, comm, window);
    if (result == MPI_SUCCESS) adopt_window(*window, base, size, unit, comm);
    return result;
}

int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *window) {
    int result = PMPI_Win_allocate(size, unit, info, comm, base, window);
    if (result == MPI_SUCCESS) adopt_window(*window, *(void **)base, size, unit, comm);
    return result;
}

/* A copy of a plane's cells of a buffer, laid out as the buffer is, so that its datatype describes it. */
static void *laid_out(struct window *window, const unsigned char *cells, int count, MPI_Datatype type, int size) {
    MPI_Aint lower, extent, true_lower, true_extent;
    PMPI_Type_get_extent(type, &lower, &extent);
    PMPI_Type_get_true_extent(type, &true_lower, &true_extent);
    struct copied *one = malloc(sizeof *one);
    one->at = calloc(1, true_extent + (count - 1) * extent + 8);
    one->target = window->target;
    one->next = window->copied;
    window->copied = one;
    uintptr_t start = (uintptr_t)one->at - true_lower;
    unpack(start, count, type, (unsigned char *)cells, size);
    return (void *)start;
}

static void as_sites(uint32_t *set, void *context) {
    uint32_t sites[64], count = *set ? __lostbits_explain_sent_set(*set, sites) : 0;
    *set = 0;
    if (count && sites[0] < 1u << 15) {
        uint32_t second = count > 1 && sites[1] < 1u << 15 ? sites[1] : sites[0];
        *set = 3u << 30 | sites[0] << 15 | second;
    }
}

/* Calls `move` for each plane with the cells of a buffer, in memory that stays until the window is synchronised. */
static void put_planes(struct window *window, int target, const void *buffer, int count, MPI_Datatype type,
                       void (*move)(MPI_Win, const void *, void *), void *context) {
    uint32_t planes = sendable_planes();
    int size = packed_size(count, type);
    window->target = target;
    if (size == 0 || !is_mirrored(buffer)) return;
    unsigned char *values = malloc(size + 8), *cells = calloc(PLANES, size + 8);
    int packed = pack((uintptr_t)buffer, count, type, values, size), at = 0;
    for (int plane = 0; plane < PLANES; plane++)
        if (planes >> plane & 1) packed &= pack(mirror(buffer, plane), count, type, cells + (size_t)at++ * size, size);
    if (packed) {
        if (is_explain(planes)) each_influence(type, values, cells, size, as_sites, NULL);
        at = 0;
        for (int plane = 0; plane < PLANES; plane++)
            if (planes >> plane & 1)
                move(window->planes[plane], laid_out(window, cells + (size_t)at++ * size, count, type, size), context);
    }
    free(values);
    free(cells);
}

struct target {
    int count, rank, to_count;
    MPI_Aint at;
    MPI_Datatype type, to_type;
};

static void put_plane(MPI_Win plane, const void *cells, void *context) {
    struct target *to = context;
    PMPI_Put(cells, to->count, to->type, to->rank, to->at, to->to_count, to->to_type, plane);
}

static void replace_plane(MPI_Win plane, const void *cells, void *context) {
    struct target *to = context;
    PMPI_Accumulate(cells, to->count, to->type, to->rank, to->at, to->to_count, to->to_type, MPI_REPLACE, plane);
}

int MPI_Put(const void *buffer, int count, MPI_Datatype type, int target, MPI_Aint at, int to_count, MPI_Datatype to_type, MPI_Win window) {
    struct window *one = target == MPI_PROC_NULL ? NULL : window_of(window);
    struct target to = {count, target, to_count, at, type, to_type};
    if (one) put_planes(one, target, buffer, count, type, put_plane, &to);
    return PMPI_Put(buffer, count, type, target, at, to_count, to_type, window);
}

int MPI_Accumulate(const void *buffer, int count, MPI_Datatype type, int target, MPI_Aint at, int to_count, MPI_Datatype to_type,
                   MPI_Op op, MPI_Win window) {
    struct window *one = target == MPI_PROC_NULL || op != MPI_REPLACE ? NULL : window_of(window);
    struct target to = {count, target, to_count, at, type, to_type};
    if (one) put_planes(one, target, buffer, count, type, replace_plane, &to);
    return PMPI_Accumulate(buffer, count, type, target, at, to_count, to_type, op, window);
}

int MPI_Get(void *buffer, int count, MPI_Datatype type, int target, MPI_Aint at, int from_count, MPI_Datatype from_type, MPI_Win window) {
    struct window *one = target == MPI_PROC_NULL || !is_mirrored(buffer) ? NULL : window_of(window);
    if (one && packed_size(count, type)) {
        for (int plane = 0; plane < PLANES; plane++)
            if (sendable_planes() >> plane & 1)
                PMPI_Get((void *)mirror(buffer, plane), count, type, target, at, from_count, from_type, one->planes[plane]);
        struct got *got = malloc(sizeof *got);
        *got = (struct got){buffer, count, target, type, one->got};
        if (PMPI_Type_dup(type, &got->type) != MPI_SUCCESS) got->type = type;
        one->got = got;
    }
    return PMPI_Get(buffer, count, type, target, at, from_count, from_type, window);
}

/* ---- what is got: sets of the target ---- */

struct foreign {
    struct window *window;
    int target;
    uint32_t last_set, last_found;
};

static void read_table(struct foreign *from, int table, uint32_t word, int words, uint32_t *to) {
    word += from->window->skips[from->target * TABLES + table];
    PMPI_Win_lock(MPI_LOCK_SHARED, from->target, 0, from->window->tables[table]);
    PMPI_Get(to, words, MPI_UINT32_T, from->target, word, words, MPI_UINT32_T, from->window->tables[table]);
    PMPI_Win_unlock(from->target, from->window->tables[table]);
}

static void translate(uint32_t *set, void *context) {
    struct foreign *from = context;
    uint32_t sites[64], bits[32], count = 0;
    /* None, or sites that all processes understand. */
    if (*set == 0 || *set >> 30 == 3) return;
    if (*set == from->last_set) {
        *set = from->last_found;
        return;
    }
    from->last_set = *set;
    if (*set >> 31) {
        uint32_t place[2];
        /* Above, the number of the runtime's copy (influences.rs). */
        read_table(from, 1, 2 * (*set & 0xfffff), 2, place);
        count = place[1] < 64 ? place[1] : 64;
        if (count) read_table(from, 2, place[0], count, sites);
    } else {
        read_table(from, 0, 0, 31, bits);
        for (int bit = 0; bit < 31; bit++)
            if (*set >> bit & 1 && bits[bit] != UINT32_MAX) sites[count++] = bits[bit];
    }
    *set = from->last_found = count ? __lostbits_explain_received_set(sites, count) : 0;
}

static void translate_got(struct window *window, struct got *got) {
    int size = packed_size(got->count, got->type), packed = 1;
    struct foreign from = {window, got->target, 0, 0};
    unsigned char *values = malloc(size + 8), *cells = calloc(4, size + 8);
    packed &= pack((uintptr_t)got->buffer, got->count, got->type, values, size);
    for (int plane = 0; plane < 4; plane++)
        packed &= pack(mirror(got->buffer, plane), got->count, got->type, cells + (size_t)plane * size, size);
    if (packed) {
        each_influence(got->type, values, cells, size, translate, &from);
        for (int plane = 2; plane < 4; plane++)
            unpack(mirror(got->buffer, plane), got->count, got->type, cells + (size_t)plane * size, size);
    }
    free(values);
    free(cells);
}

/* What was got from a target (all: -1) has arrived. */
static void arrived(struct window *one, int target) {
    for (struct got **link = &one->got; *link;) {
        struct got *got = *link;
        if (target >= 0 && got->target != target) {
            link = &got->next;
            continue;
        }
        *link = got->next;
        if (has_tables()) translate_got(one, got);
        int integers, addresses, types, combiner;
        PMPI_Type_get_envelope(got->type, &integers, &addresses, &types, &combiner);
        if (combiner != MPI_COMBINER_NAMED) PMPI_Type_free(&got->type);
        free(got);
    }
    for (struct copied **link = &one->copied; *link;) {
        struct copied *copied = *link;
        if (target >= 0 && copied->target != target) {
            link = &copied->next;
            continue;
        }
        *link = copied->next;
        free(copied->at);
        free(copied);
    }
}

/* ---- synchronisation: of the window, and of those beside it ---- */

#define SYNCHRONISE(NAME, PARAMETERS, ARGUMENTS, BESIDE, TARGET, COMPLETES)                             \
    int MPI_##NAME PARAMETERS {                                                                                 \
        struct window *one = window_of(window);                                                                 \
        int result = PMPI_##NAME ARGUMENTS;                                                                     \
        if (!one || result != MPI_SUCCESS) return result;                                                       \
        for (int plane = 0; plane < PLANES; plane++)                                                            \
            if (sendable_planes() >> plane & 1) PMPI_##NAME BESIDE;                                             \
        if (COMPLETES) arrived(one, TARGET);                                                                 \
        return result;                                                                                          \
    }
SYNCHRONISE(Win_fence, (int assert, MPI_Win window), (assert, window), (assert, one->planes[plane]), -1, 1)
SYNCHRONISE(Win_lock, (int type, int target, int assert, MPI_Win window), (type, target, assert, window),
            (type, target, assert, one->planes[plane]), target, 0)
SYNCHRONISE(Win_unlock, (int target, MPI_Win window), (target, window), (target, one->planes[plane]), target, 1)
SYNCHRONISE(Win_lock_all, (int assert, MPI_Win window), (assert, window), (assert, one->planes[plane]), -1, 0)
SYNCHRONISE(Win_unlock_all, (MPI_Win window), (window), (one->planes[plane]), -1, 1)
SYNCHRONISE(Win_flush, (int target, MPI_Win window), (target, window), (target, one->planes[plane]), target, 1)
SYNCHRONISE(Win_flush_all, (MPI_Win window), (window), (one->planes[plane]), -1, 1)
SYNCHRONISE(Win_flush_local, (int target, MPI_Win window), (target, window), (target, one->planes[plane]), target, 1)
SYNCHRONISE(Win_flush_local_all, (MPI_Win window), (window), (one->planes[plane]), -1, 1)
SYNCHRONISE(Win_sync, (MPI_Win window), (window), (one->planes[plane]), -1, 0)
SYNCHRONISE(Win_start, (MPI_Group group, int assert, MPI_Win window), (group, assert, window), (group, assert, one->planes[plane]), -1, 0)
SYNCHRONISE(Win_post, (MPI_Group group, int assert, MPI_Win window), (group, assert, window), (group, assert, one->planes[plane]), -1, 0)
SYNCHRONISE(Win_complete, (MPI_Win window), (window), (one->planes[plane]), -1, 1)
SYNCHRONISE(Win_wait, (MPI_Win window), (window), (one->planes[plane]), -1, 0)

int MPI_Win_test(MPI_Win window, int *flag) {
    struct window *one = window_of(window);
    int result = PMPI_Win_test(window, flag);
    if (one && result == MPI_SUCCESS && *flag)
        for (int plane = 0; plane < PLANES; plane++)
            if (sendable_planes() >> plane & 1) PMPI_Win_wait(one->planes[plane]);
    return result;
}

int MPI_Win_free(MPI_Win *window) {
    struct window *one = window_of(*window);
    if (one) {
        arrived(one, -1);
        pthread_mutex_lock(&lock);
        struct window **link = &windows;
        while (*link != one) link = &(*link)->next;
        *link = one->next;
        pthread_mutex_unlock(&lock);
        for (int plane = 0; plane < PLANES; plane++)
            if (sendable_planes() >> plane & 1) PMPI_Win_free(&one->planes[plane]);
        for (int i = 0; i < TABLES && has_tables(); i++) PMPI_Win_free(&one->tables[i]);
        free(one->skips);
        free(one);
    }
    return PMPI_Win_free(window);
}

