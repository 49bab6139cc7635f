// Unions that read FP values as integers and back, integer stores over half of a double, tagged
// unions by value.
#include <math.h>
#include <stdint.h>
#include <stdio.h>

typedef union { float f; uint32_t u; } FloatBits;
typedef union { double d; uint64_t u; uint32_t half[2]; float f[2]; } DoubleBits;
typedef struct {
    enum { INTEGER, REAL, PAIR } kind;
    union { long integer; double real; float pair[2]; } as;
} Value;

static float next_up(float x) {
    FloatBits bits = {.f = x};
    bits.u += bits.f >= 0 ? 1 : -1;
    return bits.f;
}

static double truncate_low(double x) {
    DoubleBits bits = {.d = x};
    bits.half[0] = 0; /* an integer store over the low half of a double */
    return bits.d;
}

static double set_exponent(double x, int exponent) {
    DoubleBits bits = {.d = x};
    bits.u = (bits.u & 0x800fffffffffffffull) | (uint64_t)(exponent + 1023) << 52;
    return bits.d;
}

static double to_real(Value value) {
    switch (value.kind) {
    case INTEGER: return value.as.integer;
    case REAL: return value.as.real;
    default: return (double)value.as.pair[0] * value.as.pair[1];
    }
}

static Value combine(Value a, Value b, int i) {
    double x = to_real(a), y = to_real(b);
    if (i % 3 == 0) return (Value){REAL, {.real = x / (y + 3.1)}};
    if (i % 3 == 1) return (Value){PAIR, {.pair = {(float)x, (float)y}}};
    return (Value){INTEGER, {.integer = lround(x * 10 + y)}};
}

int main(void) {
    volatile double seed = 1.1;
    float f = (float)seed;
    double d = seed;
    Value a = {REAL, {.real = seed}}, b = {INTEGER, {.integer = 17}};
    for (int i = 0; i < 40; i++) {
        f = next_up(f * 1.01f);
        d = truncate_low(d * 1.7 + f) * 0.9;
        double e = set_exponent(d, i - 20);
        DoubleBits both = {.f = {f, (float)d}};
        Value c = combine(a, b, i);
        printf("%a %a %a %016llx %.17g\n", f, d, e * 3, (unsigned long long)both.u, to_real(c));
        a = b;
        b = c;
    }
    return 0;
}
