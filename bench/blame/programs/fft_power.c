// args: 12 0.1
// The power of a signal, summed in the time domain and in the frequency domain.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void fft(double *re, double *im, int n)
{
    for (int i = 1, j = 0; i < n; i++) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            double r = re[i], m = im[i];
            re[i] = re[j];
            im[i] = im[j];
            re[j] = r;
            im[j] = m;
        }
    }
    for (int half = 1; half < n; half *= 2) {
        for (int k = 0; k < half; k++) {
            double angle = -3.141592653589793 * k / half;
            double c = cos(angle);
            double s = sin(angle);
            for (int i = k; i < n; i += 2 * half) {
                int j = i + half;
                double tr = c * re[j] - s * im[j];
                double ti = s * re[j] + c * im[j];
                re[j] = re[i] - tr;
                im[j] = im[i] - ti;
                re[i] = re[i] + tr;
                im[i] = im[i] + ti;
            }
        }
    }
}

int main(int argc, char **argv)
{
    int n = 1 << atoi(argv[1]);
    double amplitude = atof(argv[2]);
    double *re = malloc(n * sizeof *re);
    double *im = malloc(n * sizeof *im);
    double time = 0;
    double frequency = 0;
    for (int pass = 0; pass < 8; pass++) {
        for (int i = 0; i < n; i++) {
            re[i] = amplitude + (i * 7 + pass) % 16 / 65536.0;
            im[i] = 0;
        }
        for (int i = 0; i < n; i++)
            time += re[i] * re[i];
        if (pass > 0)
            continue;
        fft(re, im, n);
        for (int i = 0; i < n; i++)
            frequency += (re[i] * re[i] + im[i] * im[i]) / n;
    }
    printf("time %.17g\n", time / 8);
    printf("frequency %.17g\n", frequency);
    free(re);
    free(im);
    return argc > 99;
}
