// A fast Fourier transform and its inverse: the power spectrum's sum, and the difference to the input.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1 << 14 };
static double re[N], im[N];

static void transform(double sign) {
    for (int i = 1, j = 0; i < N; i++) {
        int bit = N >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) {
            double t = re[i];
            re[i] = re[j];
            re[j] = t;
            t = im[i];
            im[i] = im[j];
            im[j] = t;
        }
    }
    for (int length = 2; length <= N; length *= 2)
        for (int k = 0; k < length / 2; k++) {
            double angle = sign * 2 * M_PI * k / length, c = cos(angle), s = sin(angle);
            for (int i = k; i < N; i += length) {
                int other = i + length / 2;
                double tr = re[other] * c - im[other] * s, ti = re[other] * s + im[other] * c;
                re[other] = re[i] - tr;
                im[other] = im[i] - ti;
                re[i] += tr;
                im[i] += ti;
            }
        }
}

static double input(int i) { return sin(0.3 * i) + 1.0 / (1 + i); }

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 350;
    double power = 0, worst = 0;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < N; i++) {
            re[i] = input(i + round);
            im[i] = 0;
        }
        transform(-1);
        for (int i = 0; i < N; i++) power += re[i] * re[i] + im[i] * im[i];
        transform(1);
        for (int i = 0; i < N; i++) worst = fmax(worst, fabs(re[i] / N - input(i + round)));
    }
    printf("%.10g %.1e\n", power, worst);
}
