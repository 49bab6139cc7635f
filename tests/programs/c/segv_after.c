// lostbits: signal=11
// Dies by SIGSEGV after printing: what was computed before must be there, and the signal unchanged.
#include <math.h>
#include <stdio.h>

__attribute__((noinline)) static double read_from(const double *p) { return *p * 2; }

int main(void) {
    volatile double seed = 0.2;
    double sum = 0;
    for (int i = 0; i < 40; i++) {
        sum += tanh(seed * i) / (i + 1);
        if (i % 5 == 0) printf("%a\n", sum);
    }
    fflush(stdout);
    double *volatile nowhere = (double *)16;
    printf("%a\n", read_from(nowhere));
    return 0;
}
