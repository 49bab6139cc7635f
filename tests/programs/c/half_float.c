// lostbits: fresh=0
// _Float16: stored and converted, computed with excess precision where the machine has no half unit.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct { _Float16 x, y; } Half2;

__attribute__((noinline)) static _Float16 blend(_Float16 a, _Float16 b, float t) {
    return (_Float16)(a * (1 - t) + b * t);
}

__attribute__((noinline)) static Half2 rotate(Half2 v) { return (Half2){v.x * 0.8f16 - v.y * 0.6f16, v.x * 0.6f16 + v.y * 0.8f16}; }

static uint16_t bits(_Float16 x) {
    uint16_t out;
    memcpy(&out, &x, sizeof out);
    return out;
}

int main(void) {
    volatile float seed = 0.37f;
    _Float16 table[33], sum = 0;
    for (int i = 0; i < 33; i++) table[i] = (_Float16)(seed * i - 3);
    for (int i = 0; i < 33; i++) {
        sum += table[i] * table[32 - i];
        sum = blend(sum, table[i], 0.25f);
        printf("%04x %04x %a\n", bits(table[i]), bits(sum), (double)sum);
    }
    Half2 v = {(_Float16)seed, 1};
    for (int i = 0; i < 10; i++) {
        v = rotate(v);
        printf("%04x %04x %d\n", bits(v.x), bits(v.y), v.x < v.y);
    }
    _Float16 tiny = (_Float16)6e-8f, huge = (_Float16)65504.0f;
    printf("%04x %04x %04x %04x\n", bits(tiny), bits(tiny / 2), bits(huge), bits(huge + huge));
    printf("%d %ld %a\n", (int)table[30], (long)(table[20] * 100), (double)-table[5]);
    return 0;
}
