// lostbits: flags=-pthread
// lostbits: fresh=0
// A queue of values handed between threads under a mutex and a condition variable: shadows written by
// one thread are read by another. Also thread-specific data and a detached-by-return value.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 400, CAPACITY = 7 };

static double queue[CAPACITY];
static int head, count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_key_t scale_key;

static void put(double value) {
    pthread_mutex_lock(&lock);
    while (count == CAPACITY) pthread_cond_wait(&changed, &lock);
    queue[(head + count++) % CAPACITY] = value;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static double take(void) {
    pthread_mutex_lock(&lock);
    while (count == 0) pthread_cond_wait(&changed, &lock);
    double value = queue[head];
    head = (head + 1) % CAPACITY;
    count--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return value;
}

static void *producer(void *unused) {
    (void)unused;
    double *scale = malloc(sizeof *scale);
    *scale = 1.0 / 3.0;
    pthread_setspecific(scale_key, scale);
    for (int i = 0; i < ITEMS; i++) put(sin(i * *(double *)pthread_getspecific(scale_key)) * 1e3);
    put(NAN);
    return NULL;
}

static void *consumer(void *unused) {
    (void)unused;
    double *moments = calloc(4, sizeof *moments);
    for (double value; !isnan(value = take());) {
        double power = 1;
        for (int k = 0; k < 4; k++, power *= value) moments[k] += power;
    }
    return moments;
}

int main(void) {
    pthread_t from, to;
    void *result;
    pthread_key_create(&scale_key, free);
    pthread_create(&to, NULL, consumer, NULL);
    pthread_create(&from, NULL, producer, NULL);
    pthread_join(from, NULL);
    pthread_join(to, &result);
    double *moments = result;
    for (int k = 0; k < 4; k++) printf("moment %d: %.17g %a\n", k, moments[k], moments[k]);
    free(moments);
    return 0;
}
