#include "numbers.h"
#include <math.h>

Summary summarise(const double *v, int n) {
    Summary s = {0, 0, {INFINITY, -INFINITY}};
    for (int i = 0; i < n; i++) {
        s.mean += v[i] / n;
        s.range[0] = fminf(s.range[0], (float)v[i]);
        s.range[1] = fmaxf(s.range[1], (float)v[i]);
    }
    for (int i = 0; i < n; i++) s.deviation += (v[i] - s.mean) * (v[i] - s.mean);
    s.deviation = sqrt(s.deviation / (n - 1));
    return s;
}
