/* FFT: radix 2, in place, on complex numbers. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BITS = 14, N = 1 << BITS };
static double complex data[N], root[N / 2];

static void transform(int inverse) {
    for (unsigned i = 0, j = 0; i < N; i++) {
        if (i < j) {
            double complex swapped = data[i];
            data[i] = data[j];
            data[j] = swapped;
        }
        unsigned bit = N >> 1;
        for (; bit && (j & bit); bit >>= 1) j ^= bit;
        j |= bit;
    }
    for (int length = 2; length <= N; length *= 2) {
        int half = length / 2, stride = N / length;
        for (int block = 0; block < N; block += length)
            for (int k = 0; k < half; k++) {
                double wr = creal(root[k * stride]), wi = cimag(root[k * stride]);
                if (inverse) wi = -wi;
                double xr = creal(data[block + k + half]), xi = cimag(data[block + k + half]);
                double complex turned = __builtin_complex(wr * xr - wi * xi, wr * xi + wi * xr);
                double complex even = data[block + k];
                data[block + k] = even + turned;
                data[block + k + half] = even - turned;
            }
    }
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 1800;
    for (int k = 0; k < N / 2; k++) root[k] = cos(2 * M_PI * k / N) - I * sin(2 * M_PI * k / N);
    for (int i = 0; i < N; i++) data[i] = sin(0.3 * i) + I * cos(0.7 * i * i);
    for (int round = 0; round < rounds; round++) {
        transform(round & 1);
        if (round & 1)
            for (int i = 0; i < N; i++) data[i] /= N;
    }
    double sum = 0;
    for (int i = 0; i < N; i++) sum += creal(data[i]) * (i % 5 - 2) + cimag(data[i]);
    printf("fft %.17g\n", sum);
    return 0;
}
