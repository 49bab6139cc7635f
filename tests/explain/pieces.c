/* Numbers that are copied in pieces, or two at once. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static void copy_bytes(void *to, const void *from, size_t count) {
    unsigned char *d = to;
    const unsigned char *s = from;
    while (count--)
        *d++ = *s++;
}

__attribute__((noinline)) static void copy_shorts(void *to, const void *from, size_t count) {
    volatile uint16_t *d = to;
    const volatile uint16_t *s = from;
    for (size_t i = 0; i < count / 2; i++)
        d[i] = s[i];
}

__attribute__((noinline)) static void copy_backwards(char *to, const char *from, size_t count) {
    for (size_t i = count; i > 0; i--)
        to[i - 1] = from[i - 1];
}

typedef struct {
    float re, im;
} pair;

__attribute__((noinline)) static void swap_pairs(void *a, void *b) {
    uint64_t x, y;
    memcpy(&x, a, 8);
    memcpy(&y, b, 8);
    memcpy(a, &y, 8);
    memcpy(b, &x, 8);
}

int main(int argc, char **argv) {
    const char *how = argv[1];
    double x = atof(argv[2]);
    double lost = (1 + x) - 1; // CAUSE
    float less = (1 + (float)x) - 1; // LESS
    double copy[2] = {1, 1};
    if (!strcmp(how, "bytes")) {
        copy_bytes(&copy[1], &lost, sizeof lost);
        printf("%.17g\n", copy[1]); // REACHED bytes
    } else if (!strcmp(how, "shorts")) {
        copy_shorts(&copy[1], &lost, sizeof lost);
        printf("%.17g\n", copy[1]); // REACHED shorts
    } else if (!strcmp(how, "backwards")) {
        copy_backwards((char *)&copy[1], (const char *)&lost, sizeof lost);
        printf("%.17g\n", copy[1]); // REACHED backwards
    } else if (!strcmp(how, "pair")) {
        pair a = {less, 1}, b = {2, less};
        swap_pairs(&a, &b);
        printf("%.9g\n", b.re); // REACHED pair
        printf("%.9g\n", a.im); // REACHED pair
    }
}
