/* Runs a program with chosen source lines computed exactly: the truth of `make bench-blame`.

   The bench rewrites the program's LLVM IR so that each operation on doubles calls a function of this file with
   the number of its source line. A number that is no double is a NaN whose payload is an index into a table of
   quad-precision numbers (113 bits). Loads, stores, copies, calls and sorts move such NaNs as they move any double, so
   that nothing has to follow memory. Nothing here is shared with lostbits.

   BLAME_MODE and BLAME_LINES (comma-separated) select the intervention:
     round    every operation rounds to double, as in the program itself (the default; needs no table)
     exact    the operations of these lines do not round, all others do
     only     only the operations of these lines round (no lines: everything is exact)
     forget   as round, but the rounding errors that these lines make in the program vanish. All others stay what they are in the
              program, whereas under `exact` they are drawn anew from different operands
     keep     as exact arithmetic, with the rounding errors that these lines make in the program
     inputs   the operations of these lines take exact operands and do not round, all others round
   The last three carry a second number beside each: the program's own for forget and keep, which take the program's path; the
   exact one for inputs.
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

/* `world` is the number in the run with the intervention; `other` the one without rounding (inputs) or the program's own
   (forget, keep). */
struct pair {
    quad world, other;
};

enum { LINES = 4096, TABLE = 200 * 1000 * 1000 };
static const uint64_t TAG = 0x7ffc000000000000, TAG_MASK = 0xffff000000000000;

static enum { ROUND, EXACT, ONLY, FORGET, KEEP, INPUTS } mode;
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
    else if (!strcmp(text, "forget")) mode = FORGET;
    else if (!strcmp(text, "keep")) mode = KEEP;
    else if (!strcmp(text, "inputs")) mode = INPUTS;
    else stop("BLAME_MODE is round, exact, only, forget, keep or inputs");
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

static bool carries_other(void) { return mode >= FORGET; }
static bool replays(void) { return mode == FORGET || mode == KEEP; }

static double pack(struct pair number) {
    if (is_double(number.world) && (!carries_other() || number.other == number.world || isnanq(number.other)))
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

/* The number that decides branches and conversions. */
static quad decisive(struct pair number) { return replays() ? number.other : number.world; }

/* An operation with these results by both kinds of operands; `native` is the decisive one as the program's own library
   computes it (none: correctly rounded). */
static double result(int line, quad world, quad other, const double *native) {
    if (replays()) {
        quad own = native ? *native : (double)other;
        bool errs = (mode == KEEP) == chosen[line];
        if (!finiteq(own) || !finiteq(other)) world = own;
        else if (errs && other != 0) world += world * ((own - other) / other);
        return pack((struct pair){world, own});
    }
    if (mode == INPUTS && chosen[line]) return pack((struct pair){other, other});
    if (rounds(line)) world = native ? *native : (double)world;
    return pack((struct pair){world, mode == INPUTS ? other : world});
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
        quad a = l.world, b = r.world, world = (formula), other = world;                           \
        if (carries_other()) a = l.other, b = r.other, other = (formula);                          \
        record(line, is_sum, (double)l.world, (double)r.world, (double)world);                     \
        return result(line, world, other, NULL);                                                   \
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
        quad world = name##q(p.world), other = carries_other() ? name##q(p.other) : world;         \
        quad d = decisive(p);                                                                      \
        double native = is_double(d) ? name((double)d) : (double)name##q(d);                       \
        record(line, false, 0, 0, 0);                                                              \
        return result(line, world, other, &native);                                                \
    }
#define LIBM2(name)                                                                                \
    double blame_##name(double x, double y, int line) {                                            \
        struct pair p = unpack(x), q = unpack(y);                                                  \
        quad world = name##q(p.world, q.world);                                                    \
        quad other = carries_other() ? name##q(p.other, q.other) : world;                          \
        quad d = decisive(p), e = decisive(q);                                                     \
        double native = is_double(d) && is_double(e) ? name((double)d, (double)e) : (double)name##q(d, e); \
        record(line, false, 0, 0, 0);                                                              \
        return result(line, world, other, &native);                                                \
    }
static quad exp2_quad(quad x) { return powq(2, x); }
#define exp2q exp2_quad
LIBM1(sqrt) LIBM1(exp) LIBM1(log) LIBM1(log10) LIBM1(log1p) LIBM1(expm1) LIBM1(sin) LIBM1(cos) LIBM1(tan)
LIBM1(asin) LIBM1(acos) LIBM1(atan) LIBM1(sinh) LIBM1(cosh) LIBM1(tanh) LIBM1(cbrt) LIBM1(log2) LIBM1(exp2)
LIBM2(pow) LIBM2(atan2) LIBM2(hypot) LIBM2(fmod)

double blame_fma(double x, double y, double z, int line) {
    struct pair p = unpack(x), q = unpack(y), r = unpack(z);
    quad world = fmaq(p.world, q.world, r.world);
    record(line, false, 0, 0, 0);
    return result(line, world, carries_other() ? fmaq(p.other, q.other, r.other) : world, NULL);
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
    quad world = powq(p.world, n), d = decisive(p);
    double native = is_double(d) ? powers((double)d, n) : (double)powq(d, n);
    record(line, false, 0, 0, 0);
    return result(line, world, carries_other() ? powq(p.other, n) : world, &native);
}

/* These do not round: whatever the line, the result is as exact as the operands. */
#define SELECTED(name, arguments, values, formula)                                                 \
    double blame_##name arguments {                                                                \
        values;                                                                                    \
        (void)line;                                                                                \
        return formula;                                                                            \
    }
static double both(quad world, quad other) { return pack((struct pair){world, other}); }
SELECTED(fneg, (double x, int line), struct pair p = unpack(x), both(-p.world, -p.other))
SELECTED(fabs, (double x, int line), struct pair p = unpack(x), both(fabsq(p.world), fabsq(p.other)))
SELECTED(floor, (double x, int line), struct pair p = unpack(x), both(floorq(p.world), floorq(p.other)))
SELECTED(ceil, (double x, int line), struct pair p = unpack(x), both(ceilq(p.world), ceilq(p.other)))
SELECTED(trunc, (double x, int line), struct pair p = unpack(x), both(truncq(p.world), truncq(p.other)))
SELECTED(round, (double x, int line), struct pair p = unpack(x), both(roundq(p.world), roundq(p.other)))
SELECTED(rint, (double x, int line), struct pair p = unpack(x), both(rintq(p.world), rintq(p.other)))
SELECTED(copysign, (double x, double y, int line), struct pair p = unpack(x); struct pair q = unpack(y),
         both(copysignq(p.world, q.world), copysignq(p.other, q.other)))
SELECTED(fmax, (double x, double y, int line), struct pair p = unpack(x); struct pair q = unpack(y),
         isnanq(decisive(p)) || decisive(p) < decisive(q) ? y : x)
SELECTED(fmin, (double x, double y, int line), struct pair p = unpack(x); struct pair q = unpack(y),
         isnanq(decisive(p)) || decisive(p) > decisive(q) ? y : x)

/* LLVM's fcmp: bit 0 equal, bit 1 greater, bit 2 less, bit 3 unordered. */
int blame_fcmp(int predicate, double left, double right) {
    quad a = decisive(unpack(left)), b = decisive(unpack(right));
    int relation = isnanq(a) || isnanq(b) ? 8 : a == b ? 1 : a > b ? 2 : 4;
    return (predicate & relation) != 0;
}

/* For code that needs a double: the nearest one, or the one without a fraction. */
double blame_plain(double number) { return (double)decisive(unpack(number)); }
double blame_integer(double number) { return (double)truncq(decisive(unpack(number))); }

double blame_output(double number) {
    quad world = unpack(number).world;
    if (outputs) fwrite(&world, sizeof world, 1, outputs);
    double replaced;
    if (printed && fread(&replaced, sizeof replaced, 1, printed) == 1) return replaced;
    return (double)world;
}
