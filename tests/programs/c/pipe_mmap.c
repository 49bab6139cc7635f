// Doubles through read(), readv() and shared mappings: memory written by the kernel, by another view
// of the same page, and pages given back and mapped again.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum { N = 100 };

static double fold(const double *v, int n) {
    double sum = 0.5;
    for (int i = 0; i < n; i++) sum = sum / 1.5 + v[i];
    return sum;
}

static void through_pipe(void) {
    int ends[2];
    double buffer[N], other[N];
    if (pipe(ends)) exit(3);
    for (int i = 0; i < N; i++) buffer[i] = sqrt(i) * 1.1, other[i] = i * 0.01;
    if (write(ends[1], buffer, sizeof buffer) != sizeof buffer) exit(3);
    if (write(ends[1], other, sizeof other) != sizeof other) exit(3);
    for (int i = 0; i < N; i++) buffer[i] = 1 / (buffer[i] + 1);
    printf("%a\n", fold(buffer, N));
    if (read(ends[0], buffer, sizeof buffer) != sizeof buffer) exit(3);
    printf("%a\n", fold(buffer, N));
    struct iovec parts[2] = {{buffer, sizeof buffer / 2}, {other + N / 2, sizeof other / 2}};
    if (readv(ends[0], parts, 2) != sizeof buffer) exit(3);
    printf("%a %a\n", fold(buffer, N), fold(other, N));
}

static void through_mappings(void) {
    FILE *file = tmpfile();
    if (!file || ftruncate(fileno(file), 8192)) exit(4);
    double *here = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    double *there = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    if (here == MAP_FAILED || there == MAP_FAILED) exit(4);
    for (int i = 0; i < N; i++) here[i] = log(i + 1.5);
    for (int i = 0; i < N; i += 2) there[i] = there[i] * 3;
    for (int i = 0; i < N; i++) here[i] += 0.1;
    printf("%a %a\n", fold(here, N), fold(there, N));
    double value = here[7] * 2;
    if (pwrite(fileno(file), &value, sizeof value, 80) != sizeof value) exit(4);
    printf("%a %a\n", here[10] / 3, there[10] / 3);
    munmap(there, 8192);
    double *fresh = mmap(there, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (fresh == MAP_FAILED) exit(4);
    printf("%a\n", fold(fresh, N));
    for (int i = 0; i < N; i++) fresh[i] = here[i] - 1;
    madvise(fresh, 8192, MADV_DONTNEED);
    printf("%a\n", fold(fresh, N));
}

int main(void) {
    through_pipe();
    through_mappings();
    return 0;
}
