// lostbits: fresh=0
// GCC vector extensions: arithmetic, comparisons to masks, selects, shuffles, conversions, by value.
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef double V2 __attribute__((vector_size(16)));
typedef double V4 __attribute__((vector_size(32)));
typedef float F4 __attribute__((vector_size(16)));
typedef float F8 __attribute__((vector_size(32)));
typedef int I4 __attribute__((vector_size(16)));
typedef long L4 __attribute__((vector_size(32)));
typedef float F3 __attribute__((ext_vector_type(3)));

__attribute__((noinline)) static V2 v2(V2 a, V2 b) { return a * b - a / b; }
__attribute__((noinline)) static F4 f4(F4 a, float s) { return a * s + __builtin_shufflevector(a, a, 3, 2, 1, 0); }
__attribute__((noinline)) static F3 cross(F3 a, F3 b) { return a.yzx * b.zxy - a.zxy * b.yzx; }

static void v4(V4 *a, const V4 *b) {
    L4 smaller = *a < *b;
    V4 grown = *a + *b * 0.5, shrunk = *b - *a;
    *a = (V4)((smaller & (L4)grown) | (~smaller & (L4)shrunk)); /* a select by masks */
    *a = __builtin_elementwise_max(*a, -*b);
}

int main(void) {
    volatile double seed = 0.6;
    V2 a = {seed, 1.5}, b = {2.5, -seed};
    V4 c = {seed, 1, -2, 3}, d = {0.5, seed, 0.25, -4};
    F4 e = {1, 2, (float)seed, 4};
    F8 g = {1, 2, 3, 4, 5, 6, 7, (float)seed};
    F3 h = {1, (float)seed, 3}, k = {0.1f, 0.2f, 0.3f};
    double spilled[4];
    for (int i = 0; i < 10; i++) {
        a = v2(a, b + i * 0.1);
        v4(&c, &d);
        e = f4(e, 0.45f);
        g = g * g * 0.1f + 0.2f - __builtin_shufflevector(g, g, 4, 5, 6, 7, 0, 1, 2, 3);
        h = cross(h, k) + 0.1f;
        I4 whole = __builtin_convertvector(e * 100, I4);
        F4 back = __builtin_convertvector(whole, F4) / 7;
        V4 widened = __builtin_convertvector(e, V4) * 1.1;
        d[i % 4] = widened[(i + 1) % 4] / 3;
        memcpy(spilled, &c, sizeof spilled);
        printf("%a %a %a %a\n", a[0], a[1], spilled[0], spilled[3]);
        printf("%a %a %a %a %a\n", e[0], e[3], g[i % 8], h.x, h.z);
        printf("%d %a %a\n", whole[2], back[1], widened[2]);
    }
    printf("%a %a\n", __builtin_reduce_max(g), __builtin_reduce_min(c));
    return 0;
}
