// lostbits: lost=Format
// __float128 is not followed: its values must come back with fresh shadows, without harm.
#include <stdio.h>
#include <stdint.h>
#include <string.h>

typedef struct { __float128 q; double d; } Mixed;

__attribute__((noinline)) static __float128 accumulate(__float128 sum, double x) { return sum + (__float128)x * x / 3; }
__attribute__((noinline)) static Mixed both(Mixed m) { return (Mixed){m.q * 2 - m.d, (double)m.q + m.d * 0.5}; }

static void show(__float128 q) {
    uint64_t words[2];
    memcpy(words, &q, sizeof words);
    printf("%016llx%016llx %.17g\n", (unsigned long long)words[1], (unsigned long long)words[0], (double)q);
}

int main(void) {
    volatile double seed = 0.1;
    __float128 sum = 0, array[5] = {0};
    for (int i = 0; i < 30; i++) {
        sum = accumulate(sum, seed * i);
        array[i % 5] += sum / (i + 1);
        double rounded = (double)sum;
        printf("%a %a %d\n", rounded * 1.1, (double)(sum - rounded), (int)sum);
    }
    for (int i = 0; i < 5; i++) show(array[i]);
    Mixed m = {sum, seed};
    for (int i = 0; i < 5; i++) {
        m = both(m);
        show(m.q);
        printf("%a %d\n", m.d, m.q > m.d);
    }
    return 0;
}
