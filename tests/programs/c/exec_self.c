// lostbits: args=3 0.7
// lostbits: processes=4
// lostbits: status=40
// Computes, hands the result on as text, and replaces itself by itself until the count is down.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static double iterate(double x) {
    for (int i = 0; i < 100; i++) x = cos(x) * 1.3 + sqrt(x) / 10;
    return x;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    int left = atoi(argv[1]);
    double x = iterate(strtod(argv[2], NULL));
    printf("%d left: %a %.17g\n", left, x, x * left);
    fflush(stdout);
    if (left == 0) return (int)(x * 100) % 50;
    char count[16], value[64];
    snprintf(count, sizeof count, "%d", left - 1);
    snprintf(value, sizeof value, "%a", x);
    execl("/proc/self/exe", argv[0], count, value, (char *)NULL);
    return 4;
}
