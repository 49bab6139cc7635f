#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    double s = 0;
    for (int i = 1; i <= n; i++) {
        double x = 1.0 / i;
        s += x * x * x;
    }
    double t = 1e8;
    for (int i = 0; i < n; i++)
        t += 0.1;
    printf("%.15g %.10g\n", t, s);
    return argc < 2;
}
