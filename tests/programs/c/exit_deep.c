// lostbits: status=37
// lostbits: fresh=0
// exit() from deep inside a recursion; exit handlers compute and print.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double depth_sum;

static void first_registered(void) { printf("last: %a\n", log1p(depth_sum) / 3); }
static void second_registered(void) {
    depth_sum = sqrt(depth_sum) + 0.1;
    printf("second: %a\n", depth_sum);
}

__attribute__((destructor)) static void at_unload(void) { printf("destructor: %a\n", exp(-depth_sum)); }

static double descend(int depth, double x, float y) {
    double here = x / (depth + 1) + y;
    depth_sum += here;
    if (depth == 60) {
        printf("deep: %a %a\n", here, depth_sum);
        exit(37);
    }
    double below = descend(depth + 1, here * 1.5, y * 0.9f);
    return below + here;
}

int main(void) {
    volatile double seed = 2.5;
    atexit(first_registered);
    atexit(second_registered);
    printf("%a\n", descend(0, seed, 0.3f));
    return 0;
}
