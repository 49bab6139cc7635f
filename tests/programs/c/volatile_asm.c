// lostbits: lost=InlineAssembly
// Volatile values, and doubles that pass through inline assembly in registers and in memory.
#include <math.h>
#include <stdio.h>

static volatile double wall = 1.25;
static volatile float slits[4] = {0.1f, 0.2f, 0.3f, 0.4f};

static double asm_add(double a, double b) {
    __asm__("addsd %1, %0" : "+x"(a) : "x"(b));
    return a;
}

static double asm_root(double a) {
    double root;
    __asm__ volatile("sqrtsd %1, %0" : "=x"(root) : "x"(a));
    return root;
}

static void asm_store(double *to, double value) {
    __asm__ volatile("movsd %1, %0" : "=m"(*to) : "x"(value) : "memory");
}

static long double asm_x87(long double a) {
    __asm__("fsqrt" : "+t"(a));
    return a;
}

static double launder(double x) {
    __asm__("" : "+x"(x));
    return x;
}

int main(void) {
    double x = wall, kept[4] = {1, 2, 3, 4};
    for (int i = 0; i < 25; i++) {
        wall = wall * 1.1 - slits[i % 4];
        slits[(i + 1) % 4] += (float)wall / 10;
        x = asm_add(x, wall) * 0.5;
        asm_store(&kept[i % 4], asm_root(fabs(x)) + i);
        x = launder(x * kept[(i + 1) % 4]) / (kept[i % 4] + 1);
        printf("%a %a %a %La\n", wall, x, kept[i % 4] * 1.5, asm_x87(fabs(x)) / 3);
    }
    double t = kept[0] * 3;
    __asm__ volatile("" ::"r"(kept) : "memory");
    printf("%a %a\n", t, kept[0] + kept[3]);
    return 0;
}
