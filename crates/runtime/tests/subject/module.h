// What the pass would emit into a module, written by hand. `table.h` is made by the test.
#include "table.h"
#include <stddef.h>
#include <stdint.h>

struct descriptor {
    uint32_t abi_version, mode;
    const unsigned char *table;
    uint64_t table_bytes;
    unsigned char *totals;
    uint64_t totals_bytes;
    struct descriptor *next;
};

void REGISTER(struct descriptor *);
void __lostbits_unregister(struct descriptor *);
void __lostbits_shadow_copy(void *, const void *, size_t);
void __lostbits_shadow_clear(void *, size_t);
size_t __lostbits_heap_size(void *);
void __lostbits_shadow_moved(void *, const void *, size_t, size_t);
void __lostbits_same_report(void *, int, uint64_t, uint64_t);
extern const char __lostbits_version[];

static uint64_t own_totals[COUNTERS + 4 * SITES];
static struct descriptor descriptor = {
    ABI_VERSION, MODE, table, sizeof table, (unsigned char *)own_totals, sizeof own_totals, 0};

__attribute__((constructor(102))) static void module_loaded(void) {
    REGISTER(&descriptor);
}

__attribute__((destructor(102))) static void module_unloaded(void) {
    __lostbits_unregister(&descriptor);
}

static uint64_t *totals(void) {
    return (uint64_t *)__atomic_load_n(&descriptor.totals, __ATOMIC_RELAXED);
}

static inline void tick(unsigned counter) {
    __atomic_fetch_add(totals() + counter, 1, __ATOMIC_RELAXED);
}

static inline void differ(unsigned site, uint64_t program_bits, uint64_t shadow_bits) {
    __lostbits_same_report(totals() + COUNTERS + 4 * site, 1, program_bits, shadow_bits);
}
