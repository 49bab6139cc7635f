#include "numbers.h"
#include <math.h>
#include <stdio.h>

int main(void) {
    volatile double seed = 0.44;
    double v[60];
    for (int i = 0; i < 60; i++) v[i] = cubic_root(seed, i, -i * seed, 1.5f + (float)i / 10);
    for (int n = 10; n <= 60; n += 10) {
        Summary s = summarise(v, n);
        printf("%a %a %a %a\n", s.mean, s.deviation, s.range[0], s.range[1]);
    }
    return 0;
}
