// lostbits: fresh=0
// Errors unwound by longjmp through frames that hold FP values; sigsetjmp as well.
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static jmp_buf on_error;
static sigjmp_buf on_signal;
static double culprit;

static double checked_log(double x) {
    double shifted = x - 1e-3;
    if (shifted <= 0) {
        culprit = shifted;
        longjmp(on_error, 7);
    }
    return log(shifted) / x;
}

static double chain(int depth, double x) {
    double here = x * 0.75 - depth * 0.01;
    if (depth == 0) return checked_log(here);
    return here + chain(depth - 1, here) * 0.5;
}

static void handler(int number) {
    (void)number;
    culprit = sqrt(culprit * culprit + 2.0);
    siglongjmp(on_signal, 3);
}

int main(void) {
    volatile double total = 0;
    for (int i = 0; i < 30; i++) {
        double start = 10.0 / (1 + i * i);
        int code = setjmp(on_error);
        if (code == 0) {
            double value = chain(i % 7, start);
            total += value;
            printf("%2d ok %a\n", i, value);
        } else {
            total -= culprit;
            printf("%2d caught %d at %a total %.17g\n", i, code, culprit, total);
        }
    }
    signal(SIGUSR2, handler);
    for (volatile int round = 0; round < 5; round = round + 1) {
        if (sigsetjmp(on_signal, 1) == 0) raise(SIGUSR2);
        printf("round %d %a\n", round, culprit * total);
    }
    return 0;
}
