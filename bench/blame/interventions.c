/* Runs a program with chosen source lines computed exactly: the truth of `make bench-blame`.

   The bench rewrites the program's LLVM IR so that each operation on doubles calls a function of this file with
   the number of its source line. A number that is no double is a NaN whose payload is an index into a table of
   quad-precision numbers (113 bits). Loads, stores, copies, calls and sorts move such NaNs as they move any double, so
   that nothing has to follow memory. Nothing here is shared with lostbits.

   BLAME_MODE and BLAME_LINES (comma-separated) select the intervention:
     round    every operation rounds to double, as in the program itself (the default; needs no table)
     exact    the operations of these lines do not round, all others do
     only     only the operations of these lines round (no lines: everything is exact)
     inputs   the operations of these lines take exact operands and do not round, all others round. Each number carries
              its exact value beside it, computed along the path that the program takes.
   BLAME_OUTPUTS receives the printed numbers, 16 bytes each, before they are rounded for printing.
   BLAME_PRINTED has doubles to print instead.
   BLAME_PROFILE receives, for each line, how many operations it executed and how many bits they cancelled at most. */
#include <math.h>
#include <quadmath.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef __float128 quad;

/* `world` is the number in the run with the intervention, `exact` the one with no rounding at all. */
struct pair {
    quad world, exact;
};

enum { LINES = 4096, TABLE = 200 * 1000 * 1000 };
static const uint64_t TAG = 0x7ffc000000000000, TAG_MASK = 0xffff000000000000;

static enum { ROUND, EXACT, ONLY, INPUTS } mode;
static bool chosen[LINES];
static struct { uint64_t operations; int cancelled; } profile[LINES];
static struct pair *table;
static uint64_t used;
static FILE *outputs, *printed, *profiled;

static void stop(const char *reason) {
    fprintf(stderr, "interventions: %s\n", reason);
    _Exit(70);
}

__attribute__((destructor)) static void finish(void) {
    if (outputs) fclose(outputs);
    if (!profiled) return;
    for (int line = 0; line < LINES; line++)
        if (profile[line].operations)
            fprintf(profiled, "%d %llu %d\n", line, (unsigned long long)profile[line].operations, profile[line].cancelled);
    fclose(profiled);
}

__attribute__((constructor)) static void start(void) {
    const char *text = getenv("BLAME_MODE");
    if (!text || !strcmp(text, "round")) mode = ROUND;
    else if (!strcmp(text, "exact")) mode = EXACT;
    else if (!strcmp(text, "only")) mode = ONLY;
    else if (!strcmp(text, "inputs")) mode = INPUTS;
    else stop("BLAME_MODE is round, exact, only or inputs");
    char *rest = getenv("BLAME_LINES");
    while (rest && *rest) {
        long line = strtol(rest, &rest, 10);
        if (line < 0 || line >= LINES) stop("a line is out of range");
        chosen[line] = true;
        if (*rest) rest++;
    }
    if ((text = getenv("BLAME_OUTPUTS")) && !(outputs = fopen(text, "wb"))) stop("BLAME_OUTPUTS cannot be written");
    if ((text = getenv("BLAME_PRINTED")) && !(printed = fopen(text, "rb"))) stop("BLAME_PRINTED cannot be read");
    if ((text = getenv("BLAME_PROFILE")) && !(profiled = fopen(text, "w"))) stop("BLAME_PROFILE cannot be written");
    table = mmap(NULL, TABLE * sizeof *table, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (table == MAP_FAILED) stop("no address space for the table");
}

static struct pair unpack(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    if ((bits & TAG_MASK) == TAG) return table[bits & ~TAG_MASK];
    return (struct pair){number, number};
}

static bool is_double(quad number) {
    return (quad)(double)number == number || isnanq(number);
}

static double pack(struct pair number) {
    if (is_double(number.world) && (mode != INPUTS || number.exact == number.world || isnanq(number.exact)))
        return (double)number.world;
    if (used == TABLE) stop("the table is full");
    table[used] = number;
    uint64_t bits = TAG | used++;
    double packed;
    memcpy(&packed, &bits, sizeof packed);
    return packed;
}

static bool rounds(int line) {
    return mode == ROUND || (mode == ONLY ? chosen[line] : !chosen[line]);
}

/* An operation with the result `world` by the operands of this run, `exact` by the exact ones, `native` as the
   program's own library computes it (none: the correctly rounded result). */
static double result(int line, quad world, quad exact, const double *native) {
    if (mode == INPUTS && chosen[line]) return pack((struct pair){exact, exact});
    if (rounds(line)) world = native ? *native : (double)world;
    return pack((struct pair){world, mode == INPUTS ? exact : world});
}

static int exponent(double number) {
    int value;
    frexp(number, &value);
    return value;
}

static void record(int line, bool is_sum, double left, double right, double sum) {
    profile[line].operations++;
    if (!is_sum || left == 0 || right == 0 || !isfinite(left) || !isfinite(right)) return;
    int before = exponent(left) > exponent(right) ? exponent(left) : exponent(right);
    int cancelled = sum == 0 ? 53 : before - exponent(sum);
    if (cancelled > profile[line].cancelled) profile[line].cancelled = cancelled;
}

#define BINARY(name, formula, is_sum)                                                              \
    double blame_##name(double left, double right, int line) {                                     \
        struct pair l = unpack(left), r = unpack(right);                                           \
        quad a = l.world, b = r.world, world = (formula), exact = world;                           \
        if (mode == INPUTS) a = l.exact, b = r.exact, exact = (formula);                           \
        record(line, is_sum, (double)l.world, (double)r.world, (double)world);                     \
        return result(line, world, exact, NULL);                                                   \
    }
BINARY(fadd, a + b, true)
BINARY(fsub, a - b, true)
BINARY(fmul, a * b, false)
BINARY(fdiv, a / b, false)
BINARY(frem, fmodq(a, b), false)

/* A function of libm: of doubles it must return what the program's libm returns. */
#define LIBM1(name)                                                                                \
    double blame_##name(double x, int line) {                                                      \
        struct pair p = unpack(x);                                                                 \
        quad world = name##q(p.world), exact = mode == INPUTS ? name##q(p.exact) : world;          \
        double native = is_double(p.world) ? name((double)p.world) : (double)world;                \
        record(line, false, 0, 0, 0);                                                              \
        return result(line, world, exact, &native);                                                \
    }
#define LIBM2(name)                                                                                \
    double blame_##name(double x, double y, int line) {                                            \
        struct pair p = unpack(x), q = unpack(y);                                                  \
        quad world = name##q(p.world, q.world), exact = mode == INPUTS ? name##q(p.exact, q.exact) : world; \
        bool plain = is_double(p.world) && is_double(q.world);                                     \
        double native = plain ? name((double)p.world, (double)q.world) : (double)world;            \
        record(line, false, 0, 0, 0);                                                              \
        return result(line, world, exact, &native);                                                \
    }
LIBM1(sqrt) LIBM1(exp) LIBM1(log) LIBM1(log10) LIBM1(log1p) LIBM1(expm1) LIBM1(sin) LIBM1(cos) LIBM1(tan)
LIBM1(asin) LIBM1(acos) LIBM1(atan) LIBM1(sinh) LIBM1(cosh) LIBM1(tanh) LIBM1(cbrt) LIBM1(log2)
LIBM2(pow) LIBM2(atan2) LIBM2(hypot) LIBM2(fmod)

static quad exp2q_(quad x) { return powq(2, x); }
double blame_exp2(double x, int line) {
    struct pair p = unpack(x);
    quad world = exp2q_(p.world);
    double native = is_double(p.world) ? exp2((double)p.world) : (double)world;
    record(line, false, 0, 0, 0);
    return result(line, world, mode == INPUTS ? exp2q_(p.exact) : world, &native);
}

double blame_fma(double x, double y, double z, int line) {
    struct pair p = unpack(x), q = unpack(y), r = unpack(z);
    quad world = fmaq(p.world, q.world, r.world);
    record(line, false, 0, 0, 0);
    return result(line, world, mode == INPUTS ? fmaq(p.exact, q.exact, r.exact) : world, NULL);
}

/* As compiler-rt's __powidf2 and flang's runtime multiply. */
static double powers(double x, int n) {
    bool inverted = n < 0;
    double power = 1;
    for (;; x *= x) {
        if (n & 1) power *= x;
        n /= 2;
        if (!n) break;
    }
    return inverted ? 1 / power : power;
}
double blame_powi(double x, int n, int line) {
    struct pair p = unpack(x);
    quad world = powq(p.world, n);
    double native = is_double(p.world) ? powers((double)p.world, n) : (double)world;
    record(line, false, 0, 0, 0);
    return result(line, world, mode == INPUTS ? powq(p.exact, n) : world, &native);
}

/* These do not round: whatever the line, the result is as exact as the operands. */
#define SELECTED(name, arguments, values, formula)                                                 \
    double blame_##name arguments {                                                                \
        values;                                                                                    \
        (void)line;                                                                                \
        return formula;                                                                            \
    }
static double both(quad world, quad exact) { return pack((struct pair){world, exact}); }
SELECTED(fneg, (double x, int line), struct pair p = unpack(x), both(-p.world, -p.exact))
SELECTED(fabs, (double x, int line), struct pair p = unpack(x), both(fabsq(p.world), fabsq(p.exact)))
SELECTED(floor, (double x, int line), struct pair p = unpack(x), both(floorq(p.world), floorq(p.exact)))
SELECTED(ceil, (double x, int line), struct pair p = unpack(x), both(ceilq(p.world), ceilq(p.exact)))
SELECTED(trunc, (double x, int line), struct pair p = unpack(x), both(truncq(p.world), truncq(p.exact)))
SELECTED(round, (double x, int line), struct pair p = unpack(x), both(roundq(p.world), roundq(p.exact)))
SELECTED(rint, (double x, int line), struct pair p = unpack(x), both(rintq(p.world), rintq(p.exact)))
SELECTED(copysign, (double x, double y, int line), struct pair p = unpack(x); struct pair q = unpack(y),
         both(copysignq(p.world, q.world), copysignq(p.exact, q.exact)))
SELECTED(fmax, (double x, double y, int line), struct pair p = unpack(x); struct pair q = unpack(y),
         isnanq(p.world) || p.world < q.world ? y : x)
SELECTED(fmin, (double x, double y, int line), struct pair p = unpack(x); struct pair q = unpack(y),
         isnanq(p.world) || p.world > q.world ? y : x)

/* LLVM's fcmp: bit 0 equal, bit 1 greater, bit 2 less, bit 3 unordered. */
int blame_fcmp(int predicate, double left, double right) {
    quad a = unpack(left).world, b = unpack(right).world;
    int relation = isnanq(a) || isnanq(b) ? 8 : a == b ? 1 : a > b ? 2 : 4;
    return (predicate & relation) != 0;
}

/* For code that needs a double: the nearest one, or the one without a fraction. */
double blame_plain(double number) { return (double)unpack(number).world; }
double blame_integer(double number) { return (double)truncq(unpack(number).world); }

double blame_output(double number) {
    quad world = unpack(number).world;
    if (outputs) fwrite(&world, sizeof world, 1, outputs);
    double replaced;
    if (printed && fread(&replaced, sizeof replaced, 1, printed) == 1) return replaced;
    return (double)world;
}
