#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

typedef double (*Callback)(double);
struct Pair { double a; float b; };

static double (*step)(double, Callback);
static void (*fill)(double *, int, float);
static struct Pair (*pair)(struct Pair);

static double bend(double x) { return sin(x) * 1.5; }

static void *in_thread(void *result) {
    for (int i = 0; i < 10; i++) *(double *)result += step(i * 0.3, bend);
    return NULL;
}

static int round_of_calls(int round) {
    void *library = dlopen("./plugin.so", round % 2 ? RTLD_LAZY : RTLD_NOW | RTLD_LOCAL);
    if (!library) return printf("%s\n", dlerror()), 1;
    step = (double (*)(double, Callback))dlsym(library, "step");
    fill = (void (*)(double *, int, float))dlsym(library, "fill");
    pair = (struct Pair (*)(struct Pair))dlsym(library, "pair");
    double v[16], threaded = 0;
    struct Pair p = {0.7, 1.3f};
    for (int i = 0; i < 16; i++) v[i] = cos(i + round);
    for (int i = 0; i < 8; i++) {
        fill(v, 16, 0.9f);
        v[i] *= 1.1; /* written here, read there */
        p = pair(p);
        printf("%a %a %a %a\n", step(v[i], bend), step(v[15 - i], cbrt), p.a, p.b);
    }
    pthread_t thread;
    pthread_create(&thread, NULL, in_thread, &threaded);
    pthread_join(thread, NULL);
    printf("%a\n", threaded);
    return dlclose(library);
}

int main(void) {
    for (int round = 0; round < 3; round++)
        if (round_of_calls(round)) return 3;
    return 0;
}
