// An instrumented program: does what its arguments say, one after the other.
#define _GNU_SOURCE
#include "module.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void require(int condition, const char *what) {
    if (!condition) {
        fprintf(stderr, "failed: %s\n", what);
        _exit(99);
    }
}

static void wait_for(pid_t child) {
    int status;
    require(waitpid(child, &status, 0) == child && status == 0, "the child ends well");
}

static pthread_barrier_t all_started;

static void *count_in_thread(void *ignored) {
    pthread_barrier_wait(&all_started);
    for (int i = 0; i < 1000000; i++) tick(0);
    pthread_barrier_wait(&all_started);
    for (int i = 0; i < 1000000; i++) differ(1, 3, 5);
    return ignored;
}

static void run_threads(int threads) {
    pthread_t ids[16];
    pthread_barrier_init(&all_started, 0, threads);
    for (int i = 0; i < threads; i++) pthread_create(ids + i, 0, count_in_thread, 0);
    for (int i = 0; i < threads; i++) pthread_join(ids[i], 0);
}

// The pointer to the totals is held across the fork, as it is in an instrumented function.
static void fork_once(int ticks_in_child) {
    uint64_t *held = totals();
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < ticks_in_child; i++) __atomic_fetch_add(held, 1, __ATOMIC_RELAXED);
        exit(0);
    }
    wait_for(child);
}

static void fork_nested(void) {
    pid_t child = fork();
    if (child == 0) {
        tick(0);
        fork_once(7);
        exit(0);
    }
    wait_for(child);
}

static volatile int stop_forking_threads;
static void *load_and_unload(void *path) {
    while (!stop_forking_threads) dlclose(dlopen(path, RTLD_NOW | RTLD_LOCAL));
    return 0;
}

// Other threads load libraries, and so hold the lock of the runtime now and then, while this one forks.
static void fork_amid_loading(char *path) {
    pthread_t loader;
    pthread_create(&loader, 0, load_and_unload, path);
    for (int i = 0; i < 100; i++) {
        pid_t child = fork();
        if (child == 0) {
            tick(0);
            _exit(0);
        }
        wait_for(child);
    }
    stop_forking_threads = 1;
    pthread_join(loader, 0);
}

static void use_library(char *path, int times) {
    for (int i = 0; i < times; i++) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        require(library != 0, "the library can be loaded");
        void (*library_tick)(void) = (void (*)(void))dlsym(library, "library_tick");
        library_tick();
        require(dlclose(library) == 0, "the library can be unloaded");
    }
}

static const uint64_t distances[] = {DISTANCES};
static unsigned char *shadow(void *p, int plane) { return (unsigned char *)p - distances[plane]; }

static void require_shadow(void *p, size_t bytes, int value, const char *what) {
    for (int plane = 0; plane < 2; plane++)
        for (size_t i = 0; i < bytes; i++) {
            int expected = value == 0 ? 0 : value + plane;
            require(shadow((char *)p + i, plane)[0] == expected, what);
        }
}

static void set_shadow(void *p, size_t bytes, int value) {
    for (int plane = 0; plane < 2; plane++) memset(shadow(p, plane), value + plane, bytes);
}

static void check_copies(void) {
    char on_stack[64], *on_heap = malloc(64);
    static char in_data[64];
    set_shadow(on_stack, 64, 10);
    __lostbits_shadow_copy(on_heap, on_stack, 64);
    require_shadow(on_heap, 64, 10, "shadows follow a copy to the heap");
    __lostbits_shadow_copy(in_data + 1, on_heap + 1, 62);
    require_shadow(in_data + 1, 62, 10, "shadows follow a copy into static data");
    require_shadow(in_data, 1, 0, "no shadow before the copy is touched");
    require_shadow(in_data + 63, 1, 0, "no shadow behind the copy is touched");
    for (int i = 0; i < 64; i++) shadow(on_heap + i, 0)[0] = shadow(on_heap + i, 1)[0] = i;
    __lostbits_shadow_copy(on_heap + 3, on_heap, 61);
    for (int i = 3; i < 64; i++) require(shadow(on_heap + i, 1)[0] == i - 3, "copies may overlap");
    require(shadow(in_data + 1, 2)[0] == 0, "planes of other modes are left alone");
    __lostbits_shadow_copy(on_heap, (void *)0x1000, 64);
    require_shadow(on_heap, 64, 0, "a copy from where there are no shadows clears");
    __lostbits_shadow_copy((void *)0x1000, on_heap, 64);
    __lostbits_shadow_clear((void *)0x1000, 64);
    __lostbits_shadow_copy(on_heap, on_stack, SIZE_MAX);
}

static void check_clearing(void) {
    size_t sizes[] = {0, 1, 4095, 70000, 131072, 1000001};
    for (int i = 0; i < 6; i++) {
        char *block = (char *)malloc(1100000) + 777;
        set_shadow(block - 8, sizes[i] + 16, 20);
        __lostbits_shadow_clear(block, sizes[i]);
        require_shadow(block, sizes[i], 0, "shadows are cleared");
        require_shadow(block - 8, 8, 20, "shadows before are kept");
        require_shadow(block + sizes[i], 8, 20, "shadows behind are kept");
    }
}

static void check_reallocation(void) {
    char *old = malloc(40), *new = malloc(4000);
    size_t usable = __lostbits_heap_size(old);
    require(usable >= 40 && usable < 80, "the size of a block is known");
    require(__lostbits_heap_size(0) == 0, "null has no size");
    set_shadow(old, usable + 8, 30);
    __lostbits_shadow_moved(new, old, usable, 4000);
    require_shadow(new, usable, 30, "shadows follow a block that grows");
    require_shadow(new + usable, 8, 0, "no more than the old block is moved");
    __lostbits_shadow_clear(new, 100);
    __lostbits_shadow_moved(new, old, usable, 16);
    require_shadow(new, 16, 30, "shadows follow a block that shrinks");
    require_shadow(new + 16, 8, 0, "no more than the new block is moved");
    __lostbits_shadow_moved(0, old, usable, 16);
    __lostbits_shadow_moved(new, 0, 0, 16);
}

static int errno_at_start = -1;
__attribute__((constructor(101))) static void before_all(void) { errno = 77; }
__attribute__((constructor(103))) static void after_registration(void) { errno_at_start = errno; }

static void check_errno(void) {
    require(errno_at_start == 77, "errno survives registration");
    char *large = malloc(1 << 20);
    errno = 78;
    __lostbits_shadow_clear(large, 1 << 20);
    __lostbits_shadow_copy(large, large + 4096, 100000);
    __lostbits_heap_size(large);
    differ(0, 1, 2);
    require(errno == 78, "errno survives");
    pid_t child = fork();
    require(errno == 78, "errno survives a fork");
    if (child == 0) _exit(0);
    wait_for(child);
}

static void check_quiet(void) {
    require(open("/dev/null", O_RDONLY) == 3, "no descriptor is held");
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, 0, &blocked);
    for (int s = 1; s < 32; s++) require(!sigismember(&blocked, s), "no signal is left blocked");
}

int main(int count, char **words) {
    for (int i = 1; i < count; i++) {
        char *word = words[i];
        if (!strcmp(word, "tick")) tick(0);
        else if (!strcmp(word, "differ")) differ(0, 0x11, 0x22);
        else if (!strcmp(word, "_exit")) _exit(7);
        else if (!strcmp(word, "abort")) abort();
        else if (!strcmp(word, "kill")) kill(getpid(), SIGKILL);
        else if (!strcmp(word, "exec")) execl("/proc/self/exe", "again", "tick", "tick", (char *)0);
        else if (!strcmp(word, "exec-true")) execlp("true", "true", (char *)0);
        else if (!strcmp(word, "fork")) fork_once(3);
        else if (!strcmp(word, "fork-nested")) fork_nested();
        else if (!strcmp(word, "vfork")) { if (vfork() == 0) _exit(0); }
        else if (!strcmp(word, "system")) require(system("true") == 0, "system() works");
        else if (!strcmp(word, "threads")) run_threads(8);
        else if (!strcmp(word, "library")) { use_library(words[i + 1], atoi(words[i + 2])); i += 2; }
        else if (!strcmp(word, "fork-amid-loading")) fork_amid_loading(words[++i]);
        else if (!strcmp(word, "chdir")) require(chdir(words[++i]) == 0, "chdir");
        else if (!strcmp(word, "rename")) {
            require(rename(words[i + 1], words[i + 2]) == 0, "rename");
            i += 2;
        }
        else if (!strcmp(word, "copies")) check_copies();
        else if (!strcmp(word, "clearing")) check_clearing();
        else if (!strcmp(word, "reallocation")) check_reallocation();
        else if (!strcmp(word, "errno")) check_errno();
        else if (!strcmp(word, "quiet")) check_quiet();
        else if (!strcmp(word, "version")) puts(__lostbits_version);
        else require(0, word);
    }
    return 5;
}
