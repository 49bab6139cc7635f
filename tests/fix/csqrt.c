#include <stdio.h>
#include <stdlib.h>
#include <math.h>

struct complex { double re, im; };

static struct complex root(const struct complex *z)
{
    struct complex w;
    w.re = sqrt((sqrt(z->re*z->re + z->im*z->im) + z->re) / 2);
    w.im = z->im / (2*w.re);
    return w;
}

int main(int argc, char **argv)
{
    struct complex z = { atof(argv[1]), atof(argv[2]) };
    struct complex w = root(&z);
    printf("%.12g %.12g\n", w.re, w.im);
    return argc < 3;
}
