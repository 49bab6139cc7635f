#include <dlfcn.h>
#include <math.h>
#include <stdio.h>

struct Pair { double a; float b; };

static double last = 0.2;

static double remember(double x, float y) {
    last = last * 0.5 + x * y;
    return last - x;
}

int main(void) {
    volatile double seed = 0.9;
    void *library = dlopen("./plugin.so", RTLD_NOW);
    if (!library) return printf("%s\n", dlerror()), 3;
    double (*step)(double, double (*)(double, float)) = (double (*)(double, double (*)(double, float)))dlsym(library, "step");
    void (*fill)(double *, int) = (void (*)(double *, int))dlsym(library, "fill");
    struct Pair (*pair)(struct Pair) = (struct Pair(*)(struct Pair))dlsym(library, "pair");
    long double (*extended)(long double) = (long double (*)(long double))dlsym(library, "extended");
    double v[16];
    struct Pair p = {seed, 1.1f};
    long double x = seed;
    for (int i = 0; i < 16; i++) v[i] = sin(i * seed);
    for (int i = 0; i < 16; i++) {
        fill(v, 16);
        v[15 - i] -= step(v[i], remember);
        p = pair(p);
        x = extended(x + v[i]) * 1.5L;
        printf("%a %a %a %a %La\n", v[i] * 3, last, p.a, p.b, x);
    }
    return dlclose(library);
}
