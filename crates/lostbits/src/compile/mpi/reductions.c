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

/* What a product lost, after Dekker; the library of fma() is not linked everywhere. */
static double rest_of_product(double x, double y, double product) {
    double c = 134217729 * x, x1 = c - (c - x), x2 = x - x1, d = 134217729 * y, y1 = d - (d - y), y2 = y - y1;
    return ((x1 * y1 - product) + x1 * y2 + x2 * y1) + x2 * y2;
}

/* The exact result over all ranks, as a residue of what MPI computed. */
static struct number reduce_exactly(const struct number *all, int ranks, MPI_Op op, double computed) {
    double high = all[0].value, low = 0, bound = all[0].bound, magnitude = fabs(all[0].value);
    double chosen_residue = all[0].residue;
    if (op == MPI_SUM || op == MPI_PROD) add_to(&high, &low, all[0].residue);
    for (int i = 1; i < ranks; i++) {
        const struct number *one = &all[i];
        if (op == MPI_SUM) {
            add_to(&high, &low, one->value);
            add_to(&high, &low, one->residue);
            bound += one->bound;
            magnitude += fabs(one->value);
        } else if (op == MPI_PROD) {
            double exact = one->value + one->residue, product = high * exact, rest = rest_of_product(high, exact, product);
            bound = bound * fabs(exact) + one->bound * fabs(high);
            low = low * exact + rest + high * (one->residue - (exact - one->value));
            high = product;
            magnitude = fabs(product);
        } else {
            int is_better = op == MPI_MAX ? one->value + one->residue > high + chosen_residue
                                                : one->value + one->residue < high + chosen_residue;
            if (is_better) {
                high = one->value;
                chosen_residue = one->residue;
                bound = one->bound;
            } else if (one->value == high && fabs(one->residue) > fabs(chosen_residue)) {
                double apart = fabs(one->residue - chosen_residue);
                bound = bound > apart ? bound : apart;
            }
        }
    }
    if (op == MPI_MAX || op == MPI_MIN) low = chosen_residue;
    struct number result = {computed, (high - computed) + low, bound + magnitude * ranks * 0x1p-100, 0};
    return result;
}

static int is_reducible(MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return is_tracked(comm) && is_explain(sendable_planes()) &&
           (type == MPI_DOUBLE || type == MPI_FLOAT
#ifdef MPI_DOUBLE_PRECISION
            || type == MPI_DOUBLE_PRECISION || type == MPI_REAL || type == MPI_REAL8 || type == MPI_REAL4
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

