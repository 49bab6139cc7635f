/* Branch-heavy: quicksort of doubles, bisection, adaptive Simpson. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 200000 };
static double value[N];

static void sort(double *a, int n) {
    while (n > 16) {
        double pivot = a[n / 2];
        int i = 0, j = n - 1;
        for (;; i++, j--) {
            while (a[i] < pivot) i++;
            while (pivot < a[j]) j--;
            if (i >= j) break;
            double swapped = a[i];
            a[i] = a[j];
            a[j] = swapped;
        }
        sort(a, i);
        a += i;
        n -= i;
    }
    for (int i = 1; i < n; i++) {
        double moved = a[i];
        int j = i;
        for (; j > 0 && a[j - 1] > moved; j--) a[j] = a[j - 1];
        a[j] = moved;
    }
}

static double bump(double x, double c) { return x < c ? x * x - c : (x - c) * (1 - x) + c * c - c; }

static double root(double c) {
    double low = -3, high = 0;
    while (high - low > 1e-15) {
        double middle = 0.5 * (low + high);
        if (bump(middle, c) > 0) low = middle;
        else high = middle;
        if (middle == low && middle == high) break;
    }
    return low;
}

static double simpson(double a, double fa, double b, double fb, double m, double fm, double whole, double c, int depth) {
    double lm = 0.5 * (a + m), rm = 0.5 * (m + b);
    double flm = bump(lm, c), frm = bump(rm, c);
    double left = (m - a) / 6 * (fa + 4 * flm + fm), right = (b - m) / 6 * (fm + 4 * frm + fb);
    if (depth <= 0 || fabs(left + right - whole) < 1e-10) return left + right;
    return simpson(a, fa, m, fm, lm, flm, left, c, depth - 1) + simpson(m, fm, b, fb, rm, frm, right, c, depth - 1);
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 20;
    double sum = 0;
    unsigned state = 12345;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < N; i++) {
            state = state * 1664525u + 1013904223u;
            value[i] = (double)state / 4294967296.0 - 0.5;
        }
        sort(value, N);
        for (int i = 0; i < N; i += 100) {
            double c = 0.5 + 0.3 * value[i];
            sum += root(c) + simpson(0, bump(0, c), 2, bump(2, c), 1, bump(1, c), 0, c, 24);
        }
    }
    printf("branches %.17g %.17g\n", sum, value[N / 3]);
    return 0;
}
