#include <stdio.h>
#include <stdlib.h>

/* the sample variance of temperatures in kelvin, in one pass */
int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    double s = 0, q = 0;
    for (int i = 0; i < n; i++) {
        double t = 1e6 + (i % 7) * 1e-3;
        s += t;
        q += t * t;
    }
    double mean = s / n;
    printf("%.10g %.9g\n", mean, (q - s * mean) / (n - 1));
    return argc < 2;
}
