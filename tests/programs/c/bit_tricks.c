// Programs that take FP values apart by their bits: inverse square root, exponent surgery, sign
// tricks, integer swaps, radix sort of doubles as keys, hashing, total order.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float inverse_root(float x) {
    float half = 0.5f * x;
    int32_t i;
    memcpy(&i, &x, sizeof i);
    i = 0x5f3759df - (i >> 1);
    memcpy(&x, &i, sizeof x);
    return x * (1.5f - half * x * x);
}

static double significand_of(double x, int *exponent) {
    uint64_t bits = bits_of(x);
    *exponent = (int)(bits >> 52 & 0x7ff) - 1022;
    return from_bits((bits & ~(0x7ffull << 52)) | 1022ull << 52);
}

static double flip(double x) { return from_bits(bits_of(x) ^ 1ull << 63); }
static double magnitude(double x) { return from_bits(bits_of(x) & ~(1ull << 63)); }
static double minus_magnitude(double x) { return from_bits(bits_of(x) | 1ull << 63); }
static double successor(double x) { return from_bits(bits_of(x) + 1); }
static double power_of_two(int n) { return from_bits((uint64_t)(n + 1023) << 52); }
static double fast_round(double x) { return x + 6755399441055744.0 - 6755399441055744.0; }

static void radix_sort(double *v, int n) {
    uint64_t keys[128], other[128];
    for (int i = 0; i < n; i++) {
        uint64_t b = bits_of(v[i]);
        keys[i] = b >> 63 ? ~b : b | 1ull << 63;
    }
    for (int shift = 0; shift < 64; shift += 8) {
        int starts[257] = {0};
        for (int i = 0; i < n; i++) starts[(keys[i] >> shift & 255) + 1]++;
        for (int i = 0; i < 256; i++) starts[i + 1] += starts[i];
        for (int i = 0; i < n; i++) other[starts[keys[i] >> shift & 255]++] = keys[i];
        memcpy(keys, other, sizeof *keys * n);
    }
    for (int i = 0; i < n; i++) v[i] = from_bits(keys[i] >> 63 ? keys[i] ^ 1ull << 63 : ~keys[i]);
}

static void swap_as_integers(double *a, double *b) {
    uint64_t *x = (uint64_t *)(void *)a, *y = (uint64_t *)(void *)b, t;
    memcpy(&t, x, 8);
    memcpy(x, y, 8);
    memcpy(y, &t, 8);
}

int main(void) {
    volatile double seed = 1.3;
    double v[100];
    uint64_t hash = 1469598103934665603ull;
    for (int i = 0; i < 100; i++) v[i] = sin(i * seed) * pow(4, i % 9 - 4);
    for (int i = 0; i < 100; i += 9) {
        int e, e_library;
        double x = v[i], m = significand_of(x, &e), m_library = frexp(x, &e_library);
        printf("%a %d %d %a\n", m * 1.5, e, m == m_library && e == e_library, inverse_root((float)(i + seed)));
        printf("%a %a %a %a\n", flip(x) / 3, magnitude(x) + 1, minus_magnitude(x) * 2, successor(x) - x);
        printf("%a %a\n", power_of_two(i - 50) * seed, fast_round(x * 10) + 0.25);
        if (i < 90) swap_as_integers(&v[i], &v[i + 9]);
    }
    radix_sort(v, 100);
    double sum = 0;
    for (int i = 0; i < 100; i++) {
        hash = (hash ^ bits_of(v[i])) * 1099511628211ull;
        sum = sum * 0.5 + v[i];
        if (i % 12 == 0) printf("%.17g %a\n", v[i], sum);
    }
    printf("%016llx\n", (unsigned long long)hash);
    return 0;
}
