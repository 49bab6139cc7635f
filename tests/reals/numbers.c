/* Computations whose real results are known. Each case prints the program's result, and what the shadow
   number of it is, if there is one: `numbers case`. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int __lostbits_reals_of(const void *value, int kind, char *buffer, size_t bytes) __attribute__((weak));
enum { FLOAT = 3, DOUBLE = 4, LONG_DOUBLE = 5 };

static void show(const char *name, const void *value, int kind) {
    char text[128] = "";
    if (__lostbits_reals_of && __lostbits_reals_of(value, kind, text, sizeof text) >= 0)
        fprintf(stderr, "%s %s\n", name, text);
    double shown = kind == FLOAT ? *(const float *)value : kind == DOUBLE ? *(const double *)value : *(const long double *)value;
    printf("%s %.17g\n", name, shown);
}

/* Nothing is known to the compiler. */
static volatile double tenth = 0.1, third = 3, small = 1e-8;

static void cosine(void) {
    double x = small, result = (1 - cos(x)) / (x * x);
    show("cosine", &result, DOUBLE);
}

static void rump(void) {
    volatile double va = 77617, vb = 33096;
    double a = va, b = vb, a2 = a * a, b2 = b * b, b4 = b2 * b2, b6 = b4 * b2;
    double result = 333.75 * b6 + a2 * (11 * a2 * b2 - b6 - 121 * b4 - 2) + 5.5 * b4 * b4 + a / (2 * b);
    show("rump", &result, DOUBLE);
}

static void muller(void) {
    volatile double first = 4;
    double x = first, y = first + 0.25;
    for (int i = 2; i <= 30; i++) {
        double z = 108 - (815 - 1500 / x) / y;
        x = y, y = z;
    }
    show("muller", &y, DOUBLE);
}

static void harmonic(void) {
    float sum = 0;
    for (int i = 1; i <= 1000; i++) sum += 1.0f / i;
    show("harmonic", &sum, FLOAT);
}

/* Phis that refer to each other in a circle. */
static void fibonacci(void) {
    double a = tenth / third, b = tenth;
    for (int i = 0; i < 50; i++) {
        double sum = a + b;
        a = b, b = sum;
    }
    show("fibonacci", &b, DOUBLE);
}

static void rotate(void) {
    volatile int rounds = 100;
    double a = 1 / third, b = 2 / third, c = tenth / third;
#pragma clang loop unroll(disable)
    for (int i = 0, n = rounds; i < n; i++) {
        double t = a;
        a = b, b = c, c = t;
    }
    double result = a / 7 + c; /* a is what b was, c what a was */
    show("rotate", &result, DOUBLE);
}

typedef struct { double x, y, z; float w; } Point;

__attribute__((noinline)) static Point moved(Point p, double by) {
    p.x += by, p.y -= by, p.z *= by, p.w /= 3;
    return p;
}

static void structs(void) {
    Point p = {1 / third, tenth, tenth / third, 1.0f}, q;
    for (int i = 0; i < 3; i++) {
        q = moved(p, tenth);
        p = q;
    }
    double result = p.x + p.y + p.z + p.w;
    show("structs", &result, DOUBLE);
}

static void copies(void) {
    enum { N = 40 };
    double a[N], *b = malloc(8 * sizeof *b);
    for (int i = 0; i < N; i++) a[i] = (i + 1) / third;
    memmove(a + 1, a, (N - 1) * sizeof *a); /* overlapping, upwards */
    memmove(a + 4, a + 6, 20 * sizeof *a);  /* downwards */
    memcpy(b, a + 8, 8 * sizeof *b);
    a[9] = 7;
    b = realloc(b, 100000 * sizeof *b);
    memset(a, 0, 8 * sizeof *a);
    double result = a[0] + a[3] + a[8] + a[9] + b[1] + b[7];
    free(b);
    show("copies", &result, DOUBLE);
}

__attribute__((noinline)) static double descend(int depth, double x) {
    double mine = x / third;
    if (depth == 0) return mine;
    double below = descend(depth - 1, mine + 1);
    return below + mine;
}

static void recursion(void) {
    double result = descend(60, tenth);
    show("recursion", &result, DOUBLE);
}

static jmp_buf back;

__attribute__((noinline)) static void dive(int depth, double x) {
    double mine = x / third;
    if (depth == 0) longjmp(back, 1);
    dive(depth - 1, mine + tenth);
    if (mine == 12345) puts("never");
}

static void jumps(void) {
    volatile double kept = 1 / third;
    volatile int times = 0;
    if (setjmp(back) < 1 || times < 2000) {
        times++;
        kept = kept + tenth / third;
        dive(20, kept);
    }
    double result = kept;
    show("jumps", &result, DOUBLE);
}

__attribute__((noinline)) static double total(int count, ...) {
    va_list list;
    va_start(list, count);
    double sum = 0;
    for (int i = 0; i < count; i++) sum += va_arg(list, double);
    va_end(list);
    return sum;
}

static void variadic(void) {
    double x = tenth / third;
    double result = total(12, x, 2 * x, 3 * x, 4 * x, 5 * x, 6 * x, 7 * x, 8 * x, 9 * x, 10 * x, 11 * x, 12 * x);
    show("variadic", &result, DOUBLE);
}

static void swaps(void) {
    double a = 1 / third, b = tenth / third;
    long long x, y;
    memcpy(&x, &a, 8), memcpy(&y, &b, 8);
    memcpy(&a, &y, 8), memcpy(&b, &x, 8);
    double result = a + 2 * b;
    show("swaps", &result, DOUBLE);
}

static void extended(void) {
    long double x = 1 / (long double)third, sum = 0;
    for (int i = 0; i < 10; i++) sum += x * i;
    show("extended", &sum, LONG_DOUBLE);
}

static double partial[4];

static void *work(void *argument) {
    int me = (int)(long)argument;
    double sum = 0;
    for (int round = 0; round < 20; round++) sum = descend(10 + me, sum);
    partial[me] = sum;
    return NULL;
}

static void threads(void) {
    double result = 0;
    for (int round = 0; round < 50; round++) {
        pthread_t all[4];
        for (long i = 0; i < 4; i++) pthread_create(&all[i], NULL, work, (void *)i);
        for (int i = 0; i < 4; i++) pthread_join(all[i], NULL);
    }
    for (int i = 0; i < 4; i++) result += partial[i];
    show("threads", &result, DOUBLE);
}

static void vectors(void) {
    enum { N = 256 };
    static double a[N], b[N];
    for (int i = 0; i < N; i++) a[i] = i / third, b[i] = tenth;
    for (int i = 0; i < N; i++) b[i] = b[i] * a[i] + (a[i] > 40 ? a[i] : -a[i]);
    double result = 0;
    for (int i = 0; i < N; i++) result += b[i];
    show("vectors", &result, DOUBLE);
}

static void library(void) {
    double x = tenth / third, fraction, whole;
    fraction = modf(10 * exp(x) + pow(x, 1.5), &whole);
    double result = fraction + fmod(tenth, x / 7) + hypot(x, 1) + fmax(x, sqrt(x)) + copysign(x, -1) + floor(x) + fabs(-x);
    show("library", &result, DOUBLE);
}

void sincos(double, double *, double *);

static void pointers(void) {
    double x = tenth / third, sine, cosine, whole;
    sincos(x, &sine, &cosine);
    modf(100 * x, &whole);
    double result = sine + 2 * cosine + whole / 7;
    show("pointers", &result, DOUBLE);
}

/* A loop that a wrong comparison ends one round late, and a conversion. */
static void decisions(void) {
    double t = 0;
    int rounds = 0;
    while (t < 10) t += tenth + tenth, rounds++;
    volatile double three_tenths = 0.3; /* a little less, but 10 times that is rounded to 3 */
    int whole = (int)(three_tenths * 10);
    printf("decisions %d %d %.3f\n", rounds, whole, t);
}

int main(int argc, char **argv) {
    static const struct { const char *name; void (*run)(void); } all[] = {
        {"cosine", cosine}, {"rump", rump}, {"muller", muller}, {"harmonic", harmonic}, {"fibonacci", fibonacci},
        {"rotate", rotate}, {"structs", structs}, {"copies", copies}, {"recursion", recursion}, {"jumps", jumps},
        {"variadic", variadic}, {"swaps", swaps}, {"extended", extended}, {"threads", threads}, {"vectors", vectors},
        {"library", library}, {"pointers", pointers}, {"decisions", decisions}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (argc < 2 || !strcmp(argv[1], all[i].name)) all[i].run();
    return 0;
}
