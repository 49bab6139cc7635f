// A program that has its own functions of the C library's names, and its own allocator without
// malloc_usable_size: the runtime must call none of the former, nor ask about blocks of the latter.
#include "module.h"

void abort(void);
void _exit(int);

#ifndef ALLOCATOR_ONLY
#define FORBIDDEN(name) \
    long name(void) { abort(); return 0; }
FORBIDDEN(open)
FORBIDDEN(openat)
FORBIDDEN(close)
FORBIDDEN(read)
FORBIDDEN(mmap)
FORBIDDEN(munmap)
FORBIDDEN(madvise)
FORBIDDEN(unlink)
FORBIDDEN(fallocate)
FORBIDDEN(posix_fallocate)
FORBIDDEN(getrlimit)
FORBIDDEN(getcwd)
FORBIDDEN(getenv)
#endif

static char arena[1 << 20];
static size_t taken;

void *malloc(size_t bytes) {
    char *block = arena + taken;
    taken += (bytes + 15) & ~(size_t)15;
    return block;
}
void free(void *block) { (void)block; }
void *calloc(size_t n, size_t each) { return malloc(n * each); }
void *realloc(void *block, size_t bytes) { (void)block; return malloc(bytes); }

int main(void) {
    tick(0);
    if (__lostbits_heap_size(malloc(10)) != SIZE_MAX) _exit(98);
    return 5;
}
