// lostbits: flags=-pthread
// Four threads integrate, each with its own arguments, stack and thread-local accumulator.
#include <math.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, STEPS = 2000 };

typedef struct {
    double from, to;
    double integral;
    float largest;
} Job;

static _Thread_local double accumulated = 0.125;
static double shared[THREADS][8];

static double integrand(double x) { return exp(-x * x) * cos(3.0 * x) + 1.0 / (1.0 + x); }

static void *work(void *argument) {
    Job *job = argument;
    double width = (job->to - job->from) / STEPS;
    for (int i = 0; i < STEPS; i++) {
        double value = integrand(job->from + (i + 0.5) * width);
        accumulated += value * width;
        job->largest = fmaxf(job->largest, (float)value);
    }
    job->integral = accumulated;
    int row = (int)job->from;
    for (int k = 0; k < 8; k++) shared[row][k] = pow(accumulated, k * 0.25);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    Job jobs[THREADS];
    for (int t = 0; t < THREADS; t++) {
        jobs[t] = (Job){.from = t, .to = t + 1, .integral = 0, .largest = -INFINITY};
        if (pthread_create(&threads[t], NULL, work, &jobs[t])) return 3;
    }
    double total = 0;
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        total += jobs[t].integral;
        printf("%d %a %a\n", t, jobs[t].integral, jobs[t].largest);
        for (int k = 0; k < 8; k++) printf(" %.17g", shared[t][k]);
        printf("\n");
    }
    printf("total %.17g main's own %a\n", total, accumulated);
    return 0;
}
