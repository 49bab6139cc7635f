/* Comparisons in a loop that the compiler makes vectors of: one pair in eight is nearly equal. */
#include <stdio.h>
#include <stdlib.h>

enum { N = 64 };

static int votes(const double *a, const double *b) {
    int count = 0;
    for (int i = 0; i < N; i++)
        count += a[i] > b[i]; /* UNSTABLE */
    return count;
}

int main(int argc, char **argv) {
    double apart = strtod(argv[1], NULL);
    double a[N], b[N];
    for (int i = 0; i < N; i++) {
        a[i] = i + 1;
        b[i] = i % 8 ? 2 * i + 3 : a[i] + apart;
    }
    printf("%d\n", votes(a, b));
    return 0;
}
