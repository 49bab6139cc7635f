/* ---- reductions (mode explain): what exact arithmetic makes of all contributions ---- */

struct number {
    double value, residue, bound;
    uint32_t set;
};

/* What a contribution's cells say, in the planes that `cells` begin in. */
static void decode(const void *value, void *const cells[4], int is_float, struct number *number) {
    memset(number, 0, sizeof *number);
    if (is_float) {
        uint32_t bits, cell, bound;
        float single, residue, width;
        memcpy(&single, value, 4);
        memcpy(&bits, value, 4);
        number->value = single;
        memcpy(&cell, cells[1], 4);
        if ((uint16_t)cell != (uint16_t)(bits ^ bits >> 16)) return;
        memcpy(&residue, cells[0], 4);
        bound = cell & 0xffff0000u;
        memcpy(&width, &bound, 4);
        number->residue = residue;
        number->bound = width;
        memcpy(&number->set, cells[3], 4);
        return;
    }
    uint64_t bits, cell, bound, meta;
    memcpy(&number->value, value, 8);
    memcpy(&bits, value, 8);
    memcpy(&cell, cells[1], 8);
    if ((uint32_t)cell != (uint32_t)(bits ^ bits >> 32)) return;
    memcpy(&number->residue, cells[0], 8);
    bound = cell & 0x7fffffff00000000u;
    memcpy(&number->bound, &bound, 8);
    memcpy(&meta, cells[2], 8);
    number->set = meta >> 32;
}

/* Bounds are rounded up to what a cell has room for. */
static void encode(const void *value, void *const cells[4], int is_float, struct number number) {
    if (is_float) {
        uint32_t bits, cell, node = 0;
        float residue = (float)number.residue, bound = (float)(number.bound + fabs(number.residue) * 0x1p-23);
        memcpy(&bits, value, 4);
        memcpy(&cell, &bound, 4);
        if (bound < __builtin_inff()) cell += bound > 0 ? 0xffff : 0;
        cell = (cell & 0x7fff0000u) | (uint16_t)(bits ^ bits >> 16);
        memcpy(cells[0], &residue, 4);
        memcpy(cells[1], &cell, 4);
        memcpy(cells[2], &node, 4);
        memcpy(cells[3], &number.set, 4);
        return;
    }
    uint64_t bits, cell, meta = (uint64_t)number.set << 32;
    memcpy(&bits, value, 8);
    memcpy(&cell, &number.bound, 8);
    if (number.bound < __builtin_inf()) cell += number.bound > 0 ? 0xffffffffu : 0;
    cell = (cell & 0x7fffffff00000000u) | (uint32_t)(bits ^ bits >> 32);
    memcpy(cells[0], &number.residue, 8);
    memcpy(cells[1], &cell, 8);
    memcpy(cells[2], &meta, 8);
}

struct mirrored {
    void *cells[4];
};

static struct mirrored cells_of(const void *at) {
    struct mirrored all;
    for (int plane = 0; plane < 4; plane++) all.cells[plane] = (void *)mirror(at, plane);
    return all;
}

static void read_number(const void *at, int is_float, struct number *number) {
    decode(at, cells_of(at).cells, is_float, number);
}

static void write_number(void *at, int is_float, struct number number) {
    encode(at, cells_of(at).cells, is_float, number);
}

/* The sum of two numbers of twice the precision, (high, low). */
static void add_to(double *high, double *low, double x) {
    double s = *high + x, b = s - *high;
    *low += (*high - (s - b)) + (x - b);
    *high = s;
}

/* What a product lost, after Dekker; the library of fma() is not linked everywhere. */
static double rest_of_product(double x, double y, double product) {
    double c = 134217729 * x, x1 = c - (c - x), x2 = x - x1, d = 134217729 * y, y1 = d - (d - y), y2 = y - y1;
    return ((x1 * y1 - product) + x1 * y2 + x2 * y1) + x2 * y2;
}

/* How a datatype and an operation are reduced. */
struct reduction {
    enum { UNTRACKED, BY_NUMBERS, BY_USER } how;
    enum { SUM, PRODUCT, LARGEST, SMALLEST } what;
    int is_float;
    /* Numbers in one element, and the distance of elements. */
    int numbers;
    MPI_Aint stride;
    MPI_User_function *function;
    MPI_Datatype type;
    MPI_Comm comm;
    /* Where the program calls it, plus one; 0 if that is unknown. */
    uint64_t site;
};

/* The exact result over all ranks, as a residue of what MPI computed; `own` is the error that the reduction itself made. */
static struct number reduce_exactly(const struct number *all, int ranks, int what, double computed, double *own) {
    double high = all[0].value, low = 0, plain_high = high, plain_low = 0;
    double bound = all[0].bound, magnitude = fabs(all[0].value), chosen_residue = all[0].residue;
    if (what == SUM || what == PRODUCT) add_to(&high, &low, all[0].residue);
    for (int i = 1; i < ranks; i++) {
        const struct number *one = &all[i];
        if (what == SUM) {
            add_to(&high, &low, one->value);
            add_to(&high, &low, one->residue);
            add_to(&plain_high, &plain_low, one->value);
            bound += one->bound;
            magnitude += fabs(one->value);
        } else if (what == PRODUCT) {
            double exact = one->value + one->residue, product = high * exact, rest = rest_of_product(high, exact, product);
            bound = bound * fabs(exact) + one->bound * fabs(high);
            low = low * exact + rest + high * (one->residue - (exact - one->value));
            high = product;
            product = plain_high * one->value;
            plain_low = plain_low * one->value + rest_of_product(plain_high, one->value, product);
            plain_high = product;
            magnitude = fabs(product);
        } else {
            double candidate = one->value + one->residue, chosen = high + chosen_residue;
            if (what == LARGEST ? candidate > chosen : candidate < chosen) {
                high = one->value;
                chosen_residue = one->residue;
                bound = one->bound;
            } else if (one->value == high && fabs(one->residue) > fabs(chosen_residue)) {
                double apart = fabs(one->residue - chosen_residue);
                bound = bound > apart ? bound : apart;
            }
        }
    }
    if (what == LARGEST || what == SMALLEST) low = chosen_residue;
    *own = what == SUM || what == PRODUCT ? (plain_high - computed) + plain_low : 0;
    struct number result = {computed, (high - computed) + low, bound + magnitude * ranks * 0x1p-100, 0};
    return result;
}

/* ---- operations of the program's own ---- */

static struct user_operation {
    MPI_Op op;
    MPI_User_function *function;
    struct user_operation *next;
} *user_operations;

int MPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *op) {
    int result = PMPI_Op_create(function, commutes, op);
    if (result != MPI_SUCCESS || !is_on) return result;
    struct user_operation *one = malloc(sizeof *one);
    pthread_mutex_lock(&lock);
    *one = (struct user_operation){*op, function, user_operations};
    user_operations = one;
    pthread_mutex_unlock(&lock);
    return result;
}

int MPI_Op_free(MPI_Op *op) {
    pthread_mutex_lock(&lock);
    for (struct user_operation **link = &user_operations; *link; link = &(*link)->next)
        if ((*link)->op == *op) {
            struct user_operation *one = *link;
            *link = one->next;
            free(one);
            break;
        }
    pthread_mutex_unlock(&lock);
    return PMPI_Op_free(op);
}

static MPI_User_function *function_of(MPI_Op op) {
    MPI_User_function *function = NULL;
    pthread_mutex_lock(&lock);
    for (struct user_operation *one = user_operations; one && !function; one = one->next)
        if (one->op == op) function = one->function;
    pthread_mutex_unlock(&lock);
    return function;
}

extern uint64_t __lostbits_explain_reduction(uint64_t) __attribute__((weak));
extern uint32_t __lostbits_explain_reduced(uint64_t, const double *, const double *, double *, uint32_t, uint32_t) __attribute__((weak));

static struct reduction reduction_of(MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    struct reduction how = {UNTRACKED, SUM, 0, 1, 0, NULL, type, comm, 0};
    if (__lostbits_explain_reduction) how.site = __lostbits_explain_reduction(0);
    if (!is_tracked(comm) || !is_explain(sendable_planes())) return how;
    int is_pair = type == MPI_DOUBLE_INT || type == MPI_FLOAT_INT, is_complex = 0, is_number = 0, size = 0;
    MPI_Aint lower;
    PMPI_Type_size(type, &size);
    PMPI_Type_get_extent(type, &lower, &how.stride);
    is_number = type == MPI_DOUBLE || type == MPI_FLOAT;
    is_complex = type == MPI_C_DOUBLE_COMPLEX || type == MPI_C_FLOAT_COMPLEX;
#ifdef MPI_DOUBLE_PRECISION
    is_number |= type == MPI_DOUBLE_PRECISION || type == MPI_REAL || type == MPI_REAL8 || type == MPI_REAL4;
    is_complex |= type == MPI_COMPLEX || type == MPI_DOUBLE_COMPLEX || type == MPI_COMPLEX8 || type == MPI_COMPLEX16;
    is_pair |= type == MPI_2REAL || type == MPI_2DOUBLE_PRECISION;
#endif
    how.is_float = is_pair ? type != MPI_DOUBLE_INT && size == 8 : is_complex ? size == 8 : size == 4;
    how.numbers = is_complex ? 2 : 1;
    if (op == MPI_SUM && (is_number || is_complex)) how.how = BY_NUMBERS;
    if (op == MPI_PROD && is_number) how.how = BY_NUMBERS, how.what = PRODUCT;
    if ((op == MPI_MAX && is_number) || (op == MPI_MAXLOC && is_pair)) how.how = BY_NUMBERS, how.what = LARGEST;
    if ((op == MPI_MIN && is_number) || (op == MPI_MINLOC && is_pair)) how.how = BY_NUMBERS, how.what = SMALLEST;
    if (how.how == UNTRACKED) {
        how.function = function_of(op);
        if (how.function) how.how = BY_USER;
    }
    return how;
}

/* ---- contributions ---- */

static char *place_of(const struct reduction *how, const void *buffer, int i) {
    return (char *)buffer + i / how->numbers * how->stride + i % how->numbers * (how->is_float ? 4 : 8);
}

/* What this rank contributes, as a message: by numbers, the numbers and then their sets as lists of sites; else the elements and
 * their shadow message. */
static struct bytes contribution(const struct reduction *how, const void *buffer, int count) {
    if (how->how == BY_USER) {
        int size = packed_size(count, how->type);
        struct bytes shadow = shadow_message(buffer, count, how->type), all = {malloc(size + shadow.size + 8), size + shadow.size};
        pack((uintptr_t)buffer, count, how->type, all.at, size);
        memcpy(all.at + size, shadow.at, shadow.size);
        free(shadow.at);
        return all;
    }
    int numbers = count * how->numbers;
    size_t table = numbers * sizeof(struct number), used = table;
    unsigned char *at = malloc(table + (size_t)numbers * 65 * 4 + 8);
    for (int i = 0; i < numbers; i++) {
        struct number one;
        uint32_t sites[64], number_of_sites = 0;
        char *place = place_of(how, buffer, i);
        if (is_mirrored(place))
            read_number(place, how->is_float, &one);
        else {
            float single;
            memset(&one, 0, sizeof one);
            memcpy(&single, place, 4);
            if (how->is_float)
                one.value = single;
            else
                memcpy(&one.value, place, 8);
        }
        memcpy(at + i * sizeof one, &one, sizeof one);
        if (one.set) number_of_sites = __lostbits_explain_sent_set(one.set, sites);
        memcpy(at + used, &number_of_sites, 4);
        memcpy(at + used + 4, sites, number_of_sites * 4);
        used += 4 + number_of_sites * 4;
    }
    return (struct bytes){realloc(at, used + 8), used};
}

/* The result of numbers `start` to `start + count` of all contributions of the first ranks, beside what MPI computed. */
static void settle_numbers(const struct reduction *how, struct bytes *all, int ranks, int total, int start, int count, void *buffer) {
    struct number *column = malloc(ranks * sizeof *column);
    size_t *lists = malloc(ranks * sizeof *lists);
    for (int rank = 0; rank < ranks; rank++) lists[rank] = (size_t)total * how->numbers * sizeof(struct number);
    for (int i = 0; i < (start + count) * how->numbers; i++) {
        uint32_t sites[64 * 64], number = 0, length;
        for (int rank = 0; rank < ranks; rank++) {
            memcpy(&column[rank], all[rank].at + i * sizeof *column, sizeof *column);
            memcpy(&length, all[rank].at + lists[rank], 4);
            for (uint32_t k = 0; k < length && number < 64 * 64; k++)
                memcpy(&sites[number++], all[rank].at + lists[rank] + 4 + 4 * k, 4);
            lists[rank] += 4 + 4 * (size_t)length;
        }
        if (i < start * how->numbers) continue;
        char *place = place_of(how, buffer, i - start * how->numbers);
        struct number computed;
        double own = 0;
        if (!is_mirrored(place)) continue;
        read_number(place, how->is_float, &computed);
        struct number result = reduce_exactly(column, ranks, how->what, computed.value, &own);
        result.set = number ? __lostbits_explain_received_set(sites, number) : 0;
        if (how->site && __lostbits_explain_reduced)
            result.set = __lostbits_explain_reduced(how->site - 1, &computed.value, &own, &result.residue, result.set, how->is_float);
        write_number(place, how->is_float, result);
    }
    free(column), free(lists);
}

/* The program's own operation, applied to numbers with their shadows: it is instrumented as the rest of the program is. */
static void settle_by_user(const struct reduction *how, struct bytes *all, int ranks, int total, int start, int count, void *buffer) {
    MPI_Aint lower, extent, true_lower, true_extent;
    MPI_Datatype type = how->type;
    int length = total, size = packed_size(total, type), own_size = packed_size(count, type), one_size = packed_size(1, type);
    PMPI_Type_get_true_extent(type, &true_lower, &true_extent);
    PMPI_Type_get_extent(type, &lower, &extent);
    size_t room = (size_t)extent * total + true_extent + 64;
    char *in_memory = calloc(1, room), *result_memory = calloc(1, room), *in = in_memory - true_lower, *result = result_memory - true_lower;
    for (int rank = ranks - 1; rank >= 0; rank--) {
        char *to = rank == ranks - 1 ? result : in;
        unpack((uintptr_t)to, total, type, all[rank].at, size);
        deliver((struct bytes){all[rank].at + size, all[rank].size - size}, to, total, type);
        if (to == in) how->function(in, result, &length, &type);
    }
    /* MPI may have computed in another order. */
    unsigned char *values = malloc(own_size + 8), *exact = malloc(own_size + 8), *cells = calloc(4, own_size + 8), *kinds = malloc(one_size + 8);
    char *from = result + start * extent;
    int packed = is_mirrored(buffer) && is_mirrored(from) && pack((uintptr_t)buffer, count, type, values, own_size) &&
                 pack((uintptr_t)from, count, type, exact, own_size);
    for (int plane = 0; plane < 4; plane++) packed = packed && pack(mirror(from, plane), count, type, cells + (size_t)plane * own_size, own_size);
    describe(type, kinds, 0);
    for (int at = 0; packed && at < own_size; at++) {
        enum kind kind = kinds[at % one_size];
        if (kind != DOUBLE && kind != FLOAT) continue;
        struct number one, computed;
        void *const here[4] = {cells + at, cells + own_size + at, cells + 2 * own_size + at, cells + 3 * own_size + at};
        decode(exact + at, here, kind == FLOAT, &one);
        decode(values + at, here, kind == FLOAT, &computed);
        one.residue += one.value - computed.value;
        encode(values + at, here, kind == FLOAT, one);
    }
    for (int plane = 0; packed && plane < 4; plane++) unpack(mirror(buffer, plane), count, type, cells + (size_t)plane * own_size, own_size);
    free(values), free(exact), free(cells), free(kinds), free(in_memory), free(result_memory);
}

/* Beside what MPI computed in `buffer`: elements `start` to `start + count` of the reduction of `total` elements of the first ranks. */
static void settle(const struct reduction *how, struct bytes *all, int ranks, int total, int start, int count, void *buffer) {
    if (ranks > 0 && buffer && count > 0)
        (how->how == BY_USER ? settle_by_user : settle_numbers)(how, all, ranks, total, start, count, buffer);
}

/* What arrives untracked from contributions with errors is not exact: its error is unknown, and results that depend on it undecided. */
static void doubt(void *buffer, int count, MPI_Datatype type) {
    int size = packed_size(count, type), one_size = packed_size(1, type);
    if (size == 0 || !buffer || !is_mirrored(buffer)) return;
    unsigned char *values = malloc(size + 8), *cells = calloc(4, size + 8), *kinds = malloc(one_size + 8);
    int packed = pack((uintptr_t)buffer, count, type, values, size);
    describe(type, kinds, 0);
    for (int at = 0; packed && at < size; at++) {
        enum kind kind = kinds[at % one_size];
        if (kind != DOUBLE && kind != FLOAT) continue;
        struct number one;
        void *const here[4] = {cells + at, cells + size + at, cells + 2 * size + at, cells + 3 * size + at};
        decode(values + at, here, kind == FLOAT, &one);
        one.bound = __builtin_inf();
        encode(values + at, here, kind == FLOAT, one);
    }
    for (int plane = 0; packed && plane < 4; plane++) unpack(mirror(buffer, plane), count, type, cells + (size_t)plane * size, size);
    free(values), free(cells), free(kinds);
}

static int is_doubtful(const struct reduction *how) {
    int kinds_size = packed_size(1, how->type), has_numbers = 0;
    if (how->how != UNTRACKED || !is_tracked(how->comm) || !is_explain(sendable_planes()) || kinds_size == 0) return 0;
    unsigned char *kinds = malloc(kinds_size + 8);
    describe(how->type, kinds, 0);
    for (int at = 0; at < kinds_size; at++) has_numbers |= kinds[at] == DOUBLE || kinds[at] == FLOAT;
    free(kinds);
    return has_numbers;
}

/* Collective: the contributions of all ranks. */
static struct bytes *exchange(struct bytes own, MPI_Comm comm) {
    MPI_Comm shadow = shadow_of(comm);
    int ranks = size_of(comm), sum = 0, length = (int)own.size;
    int *lengths = malloc(ranks * sizeof *lengths), *starts = malloc(ranks * sizeof *starts);
    PMPI_Allgather(&length, 1, MPI_INT, lengths, 1, MPI_INT, shadow);
    for (int i = 0; i < ranks; i++) {
        starts[i] = sum;
        sum += lengths[i];
    }
    struct bytes *all = malloc((ranks + 1) * sizeof *all);
    unsigned char *room = malloc(sum + 8);
    PMPI_Allgatherv(own.at, length, MPI_BYTE, room, lengths, starts, MPI_BYTE, shadow);
    for (int i = 0; i < ranks; i++) all[i] = (struct bytes){room + starts[i], lengths[i]};
    all[ranks] = (struct bytes){room, sum};
    free(lengths), free(starts), free(own.at);
    return all;
}

static void forget_contributions(struct bytes *all, int ranks) {
    free(all[ranks].at);
    free(all);
}

/* A reduction: `CALL` is MPI's, `FIRST_RANKS` contribute to elements START to START + COUNT of TO. */
#define REDUCES(NAME, PARAMETERS, ARGUMENTS, TOTAL, FIRST_RANKS, START, COUNT, TO)                                \
    int MPI_##NAME PARAMETERS {                                                                                   \
        int total = TOTAL;                                                                                        \
        struct reduction how = reduction_of(type, op, comm);                                                      \
        struct bytes own = {NULL, 0};                                                                             \
        if (how.how != UNTRACKED && total > 0) own = contribution(&how, from == MPI_IN_PLACE ? to : from, total); \
        int result = PMPI_##NAME ARGUMENTS;                                                                       \
        if (own.at) {                                                                                             \
            struct bytes *all = exchange(own, comm);                                                              \
            settle(&how, all, FIRST_RANKS, total, START, COUNT, TO);                                              \
            forget_contributions(all, size_of(comm));                                                             \
        } else if (is_doubtful(&how))                                                                             \
            doubt(TO, COUNT, type);                                                                               \
        return result;                                                                                            \
    }
REDUCES(Allreduce, (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (from, to, count, type, op, comm), count, size_of(comm), 0, count, to)
REDUCES(Reduce, (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
        (from, to, count, type, op, root, comm), count, size_of(comm), 0, count, rank_in(comm) == root ? to : NULL)
REDUCES(Scan, (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (from, to, count, type, op, comm), count, rank_in(comm) + 1, 0, count, to)
REDUCES(Exscan, (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (from, to, count, type, op, comm), count, rank_in(comm), 0, count, rank_in(comm) ? to : NULL)
REDUCES(Reduce_scatter_block, (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (from, to, count, type, op, comm), count * size_of(comm), size_of(comm), count * rank_in(comm), count, to)

static int sum_of(const int *counts, int number) {
    int sum = 0;
    for (int i = 0; i < number; i++) sum += counts[i];
    return sum;
}

REDUCES(Reduce_scatter, (const void *from, void *to, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (from, to, counts, type, op, comm), sum_of(counts, size_of(comm)), size_of(comm), sum_of(counts, rank_in(comm)),
        counts[rank_in(comm)], to)

