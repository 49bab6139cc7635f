/* What every generated program uses: observers that show each bit of a value, and guards that
   keep the program free of undefined behaviour and of things that IEEE 754 leaves open. */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t checksum = 0x243f6a8885a308d3u;
static volatile uint64_t entropy;

static void absorb_bits(uint64_t bits) {
    checksum = (checksum ^ bits) * 0x9e3779b97f4a7c15u;
    checksum ^= checksum >> 29;
}

/* The bits of a value. The sign and payload of a NaN are left open by the standard, so all look alike. */
static inline uint64_t bits_f(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x == x ? bits : 0x7fc00000u;
}
static inline uint64_t bits_d(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x == x ? bits : 0x7ff8000000000000u;
}
static inline uint64_t bits_l(long double x) {
    uint64_t significand;
    uint16_t exponent;
    if (!(x == x)) return 0x7fff;
    memcpy(&significand, &x, sizeof significand);
    memcpy(&exponent, (char *)&x + 8, sizeof exponent);
    return significand * 0x100000001b3u ^ exponent;
}
static void absorb_f(float x) { absorb_bits(bits_f(x)); }
static void absorb_d(double x) { absorb_bits(bits_d(x)); }
static void absorb_l(long double x) { absorb_bits(bits_l(x)); }
#define absorb(x) _Generic((x), float: absorb_f, double: absorb_d, long double: absorb_l)(x)

static void show_f(const char *name, float x) {
    if (x == x) printf("%s %a %08llx\n", name, x, (unsigned long long)bits_f(x));
    else printf("%s nan\n", name);
    absorb_f(x);
}
static void show_d(const char *name, double x) {
    if (x == x) printf("%s %a %016llx\n", name, x, (unsigned long long)bits_d(x));
    else printf("%s nan\n", name);
    absorb_d(x);
}
static void show_l(const char *name, long double x) {
    if (x == x) printf("%s %La %016llx\n", name, x, (unsigned long long)bits_l(x));
    else printf("%s nan\n", name);
    absorb_l(x);
}
#define show(name, x) _Generic((x), float: show_f, double: show_d, long double: show_l)(name, x)

/* Numbers that the optimiser cannot know. */
float nothing_f;
double nothing_d;
long double nothing_l;
static double draw(void) {
    uint64_t z = entropy += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(int64_t)(z >> 11) * 0x1p-51 - 2.0;
}

/* tame: back to moderate values, so that a program does not drown in infinities and NaN.
   number: not a NaN (where the sign of one would show). unit: into (-1, 1). */
#define FAMILY(T, s, fabs_)                                                                            \
    static inline T tame_##s(T x) {                                                                    \
        if (x > (T)-64 && x < (T)64) return x;                                                         \
        if (x >= (T)64) return (T)2 + (T)1 / x;                                                        \
        if (x <= (T)-64) return (T)-2 + (T)1 / x;                                                      \
        return (T)0.5;                                                                                 \
    }                                                                                                  \
    static inline T number_##s(T x) { return x == x ? x : (T)0.75; }                                   \
    static inline T unit_##s(T x) {                                                                    \
        T y = tame_##s(x);                                                                             \
        return y / ((T)1 + fabs_(y));                                                                  \
    }                                                                                                  \
    static inline int to_int_##s(T x) { return x > (T)-1e6 && x < (T)1e6 ? (int)x : 7; }               \
    static inline unsigned to_unsigned_##s(T x) { return x >= (T)0 && x < (T)1e6 ? (unsigned)x : 11u; }\
    static inline int64_t to_long_##s(T x) { return x > (T)-1e12 && x < (T)1e12 ? (int64_t)x : -13; }  \
    static inline uint64_t to_ulong_##s(T x) { return x >= (T)0 && x < (T)1e15 ? (uint64_t)x : 17u; }  \
    static int ascending_##s(const void *a, const void *b) {                                           \
        T x = *(const T *)a, y = *(const T *)b;                                                        \
        return (x > y) - (x < y);                                                                      \
    }                                                                                                  \
    static T *heap_##s(size_t count) {                                                                 \
        T *memory = malloc(count * sizeof(T));                                                         \
        if (!memory) exit(3);                                                                          \
        for (size_t i = 0; i < count; i++) memory[i] = (T)draw();                                      \
        return memory;                                                                                 \
    }
FAMILY(float, f, fabsf)
FAMILY(double, d, fabs)
FAMILY(long double, l, fabsl)

/* Sign and exponent tricks through the bits, as libraries write them. */
static inline double flip_d(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits ^= 0x8000000000000000u;
    memcpy(&x, &bits, sizeof bits);
    return x;
}
static inline double magnitude_d(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= 0x7fffffffffffffffu;
    memcpy(&x, &bits, sizeof bits);
    return x;
}
static inline double mantissa_d(double x) {
    uint64_t bits;
    x = number_d(x);
    memcpy(&bits, &x, sizeof bits);
    bits = (bits & 0x000fffffffffffffu) | 0x3ff0000000000000u;
    memcpy(&x, &bits, sizeof bits);
    return x;
}
static inline double head_d(double x) {
    uint64_t bits;
    x = number_d(x);
    memcpy(&bits, &x, sizeof bits);
    bits &= 0xfffffffff8000000u;
    memcpy(&x, &bits, sizeof bits);
    return x;
}
static inline float flip_f(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits ^= 0x80000000u;
    memcpy(&x, &bits, sizeof bits);
    return x;
}
static inline float magnitude_f(float x) {
    union { float value; uint32_t bits; } pun = {x};
    pun.bits &= 0x7fffffffu;
    return pun.value;
}
static inline float mantissa_f(float x) {
    union { float value; uint32_t bits; } pun = {number_f(x)};
    pun.bits = (pun.bits & 0x007fffffu) | 0x3f800000u;
    return pun.value;
}

/* Values that come back from code that was not compiled here. */
static double reread(double x) {
    char text[64];
    snprintf(text, sizeof text, "%.17g", number_d(x));
    return strtod(text, 0);
}

typedef double pair_d __attribute__((vector_size(16)));
typedef float quad_f __attribute__((vector_size(16)));
