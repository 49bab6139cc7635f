// Handlers that compute with FP values, raised synchronously and by a timer in the midst of a loop.
// They interrupt at any instruction, so what the main code holds must survive them.
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

static volatile double from_handler = 1.0;
static volatile sig_atomic_t alarms;

__attribute__((noinline)) static double helper(double x, float y) { return sqrt(x * x + y) + x / 3; }

static void on_user(int number, siginfo_t *info, void *context) {
    (void)info;
    (void)context;
    from_handler = helper(from_handler, (float)number);
}

static void on_alarm(int number) {
    (void)number;
    double junk = 0;
    for (int i = 1; i < 50; i++) junk += helper(i, 0.5f);
    /* The handler itself stops the timer: one slower than the timer would leave the main code no time. */
    struct itimerval off = {{0, 0}, {0, 0}};
    if (junk > 0 && ++alarms == 40) setitimer(ITIMER_REAL, &off, NULL);
}

__attribute__((noinline)) static double logistic(double x, double rate) { return rate * x * (1 - x); }

int main(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_user;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < 10; i++) {
        double before = from_handler * 1.5;
        raise(SIGUSR1);
        printf("%a %a\n", before, from_handler - before);
    }
    memset(&action, 0, sizeof action);
    action.sa_handler = on_alarm;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    struct itimerval timer = {{0, 100}, {0, 100}};
    setitimer(ITIMER_REAL, &timer, NULL);
    /* Long enough to be interrupted, and the result does not depend on how often. */
    double x = 0.3;
    long steps = 0;
    do {
        for (int i = 0; i < 1000; i++) x = logistic(x, 3.9);
        if (++steps == 200) printf("after 200000 steps %a\n", x);
    } while (alarms < 40 || steps < 200);
    printf("%d\n", x > 0 && x < 1);
    return 0;
}
