// Aggregates in every class of the calling convention, passed and returned by value: in one vector
// register, packed, mixed with integers, in memory, nested, on the x87 stack.
#include <math.h>
#include <stdio.h>

typedef struct { float x, y; } Float2;
typedef struct { float x, y, z; } Float3;
typedef struct { float v[4]; } Float4;
typedef struct { int n; float x; } IntFloat;
typedef struct { double x; int n; } DoubleInt;
typedef struct { double x, y; } Double2;
typedef struct { double v[5]; } Double5;
typedef struct { Float2 corner[2]; } Nested;
typedef struct { char tag; double x; float y; short s; } Padded;
typedef struct { long double x; } Extended;
typedef struct { double x; } Wrapped;
typedef struct { Double2 at; Float3 colour; int id; } Large;

#define OUT_OF_LINE __attribute__((noinline))

OUT_OF_LINE static Float2 f2(Float2 a, Float2 b) { return (Float2){a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
OUT_OF_LINE static Float3 f3(Float3 a, Float3 b) {
    return (Float3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
OUT_OF_LINE static Float4 f4(Float4 a, float s) {
    for (int i = 0; i < 4; i++) a.v[i] = a.v[i] * s + 0.1f;
    return a;
}
OUT_OF_LINE static IntFloat inf(IntFloat a) { return (IntFloat){a.n + 1, a.x / (float)a.n}; }
OUT_OF_LINE static DoubleInt din(DoubleInt a, IntFloat b) { return (DoubleInt){a.x * b.x + b.n, a.n - b.n}; }
OUT_OF_LINE static Double2 d2(Double2 a, Double2 b) { return (Double2){hypot(a.x, b.y), a.y / (b.x + 1.5)}; }
OUT_OF_LINE static Double5 d5(Double5 a, Double2 b) {
    Double5 out;
    for (int i = 0; i < 5; i++) out.v[i] = a.v[4 - i] * b.x + b.y * i;
    return out;
}
OUT_OF_LINE static Nested nest(Nested a) {
    Nested out = {{f2(a.corner[1], a.corner[0]), a.corner[0]}};
    return out;
}
OUT_OF_LINE static Padded pad(Padded a) { return (Padded){a.tag + 1, a.x / 3, a.y * 0.7f, (short)(a.s * 2)}; }
OUT_OF_LINE static Extended ext(Extended a, Wrapped w) { return (Extended){a.x / 3 + w.x}; }
OUT_OF_LINE static Wrapped wrap(Wrapped a) { return (Wrapped){sqrt(a.x + 2)}; }
OUT_OF_LINE static Large large(Large a, double s, Large b) {
    a.at = d2(a.at, b.at);
    a.colour = f3(a.colour, b.colour);
    a.at.x *= s;
    a.id += b.id;
    return a;
}

int main(void) {
    volatile double seed = 0.3;
    Float2 a = {(float)seed, 1.2f};
    Float3 b = {0.1f, 0.2f, (float)seed}, up = {0.0f, 1.1f, 0.9f};
    Float4 c = {{1, 2, 3, (float)seed}};
    IntFloat i = {1, (float)seed};
    DoubleInt d = {seed, 5};
    Double2 e = {seed, seed * seed};
    Double5 f = {{1.5, 2.5, seed, 4.5, 5.5}};
    Nested n = {{{0.5f, 0.25f}, a}};
    Padded p = {'a', seed, 0.3f, 3};
    Extended x = {seed};
    Wrapped w = {seed};
    Large l = {e, b, 7}, m = {{0.4, 0.6}, up, 2};
    Large (*through_pointer)(Large, double, Large) = large;
    for (int round = 0; round < 8; round++) {
        a = f2(a, (Float2){0.8f, 0.61f});
        b = f3(b, up);
        c = f4(c, 0.9f);
        i = inf(i);
        d = din(d, i);
        e = d2(e, (Double2){d.x, a.x});
        f = d5(f, (Double2){0.7, e.y});
        n = nest(n);
        p = pad(p);
        w = wrap(w);
        x = ext(x, w);
        l = through_pointer(l, 1.0 / 3, m);
        printf("%a %a %a %a %a\n", a.x, a.y, b.x, b.z, c.v[3]);
        printf("%d %a %d %a %a %a\n", i.n, i.x, d.n, d.x, e.x, e.y);
        printf("%a %a %a %a\n", f.v[0], f.v[4], n.corner[0].x, n.corner[1].y);
        printf("%c %a %a %d %La %a\n", p.tag, p.x, p.y, p.s, x.x, w.x);
        printf("%a %a %a %d\n", l.at.x, l.at.y, l.colour.y, l.id);
    }
    return 0;
}
