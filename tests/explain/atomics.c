/* Threads add to a number that they share. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double sum, x;
static _Atomic double shared;
static int fetches;

static void *add(void *unused) {
    for (int i = 0; i < 100; i++) {
        double term = (1e10 + x * i) - 1e10; // CAUSE
        if (fetches)
            __atomic_fetch_add(&sum, term, __ATOMIC_RELAXED);
        else
            shared += term;
    }
    return unused;
}

int main(int argc, char **argv) {
    pthread_t threads[4];
    fetches = !strcmp(argv[1], "fetch");
    x = atof(argv[argc - 1]);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    if (fetches)
        printf("fetched %.17g\n", sum); // REACHED fetch
    else
        printf("exchanged %.17g or so\n", shared); // REACHED exchange
}
