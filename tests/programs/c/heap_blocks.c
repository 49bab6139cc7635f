// lostbits: fresh=0
// Blocks whose sizes the compiler cannot know: zeroed, grown, shrunk, used again.
#include <stdio.h>
#include <stdlib.h>

static double *filled(size_t n, double step) {
    double *block = calloc(n, sizeof *block);
    for (size_t i = 1; i < n; i++) block[i] = block[i - 1] + step / (double)i;
    return block;
}

int main(int count, char **words) {
    (void)words;
    double total = 0;
    for (size_t n = (size_t)count; n < 3000; n = n * 2 + 1) {
        double *block = filled(n, 0.1);
        total += block[n - 1];
        block = realloc(block, 3 * n * sizeof *block);
        for (size_t i = n; i < 3 * n; i++) block[i] = block[i - n] * 1.0000001;
        block = realloc(block, (2 * n - 1) * sizeof *block);
        total += block[2 * n - 2];
        free(block);
        printf("%zu %.17g %a\n", n, total, total);
    }
    return 0;
}
