// lostbits: lost=Atomic
// lostbits: flags=-pthread
// C11 atomics: load, store, exchange, compare-exchange on doubles and floats, from several threads.
// The sums are of whole numbers, so the order of threads does not matter.
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static _Atomic double total;
static _Atomic float narrow;
static _Atomic double largest;
static _Atomic long bits;

static void add(_Atomic double *to, double x) {
    double seen = atomic_load(to);
    while (!atomic_compare_exchange_weak(to, &seen, seen + x)) {
    }
}

static void raise_to(_Atomic double *to, double x) {
    double seen = atomic_load_explicit(to, memory_order_relaxed);
    while (x > seen && !atomic_compare_exchange_strong(to, &seen, x)) {
    }
}

static void *work(void *argument) {
    int me = *(int *)argument;
    for (int i = 0; i < 500; i++) {
        add(&total, floor(100 * sin(i * 0.1 + me)));
        raise_to(&largest, sin(i + me * 0.3) * 7);
        narrow += 1.0f;
        atomic_fetch_add(&bits, (long)(i * 1.5));
    }
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    int names[3] = {1, 2, 3};
    for (int t = 0; t < 3; t++) pthread_create(&threads[t], NULL, work, &names[t]);
    for (int t = 0; t < 3; t++) pthread_join(threads[t], NULL);
    printf("%a %a %a %ld\n", total, largest, narrow, bits);
    double old = atomic_exchange(&total, largest / 3);
    total += 0.1;
    total *= 1.5;
    narrow -= 0.3f;
    printf("%a %a %a\n", old, total, narrow);
    double *plain = (double *)&total;
    *plain = sqrt(*plain);
    for (int i = 0; i < 5; i++) {
        atomic_store_explicit(&total, atomic_load_explicit(&total, memory_order_acquire) * 1.1, memory_order_release);
        printf("%a\n", total + largest);
    }
    return 0;
}
