/* A function of the program's own that is to be seen as one operation: an exponential, quick and good to a few digits,
   with several references; and one that cannot be checked. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double high, low;
} pair;

/* Loses bits inside, and decides on them. */
double quick_exp(double x) {
    double sum = 1, term = 1;
    for (int i = 1; i < 9; i++) {
        term *= x / i;
        sum = (sum + 1e8 * term) - 99999999 * term;
        if ((sum - 1) - (term + 1) + term - sum + 2 > 1e-17)
            sum += 0;
    }
    return sum;
}

double good_exp(double x) {
    return exp(x);
}

double sinus(double x) {
    return sin(x);
}

long double long_sinus(long double x) {
    return sinl(x);
}

/* x minus its nearest whole number; errors of x stay as they are. */
double part(double x) {
    return x - floor(x + 0.5);
}

pair pair_part(pair x) {
    double whole = floor(x.high + 0.5), high = (x.high - whole) + x.low;
    return (pair){high, ((x.high - whole) - high) + x.low};
}

static int count;

/* Decides, converts and prints what is wrong; inside, so none of it is reported. */
double measured(double x) {
    double y = (x + 1e16) - 1e16;
    if (y < 0.01)
        count += 1;
    count += (int)(y * 100);
    fprintf(stderr, "%g %d\n", y, count);
    return y;
}

int main(int argc, char **argv) {
    const char *how = argv[1];
    for (int i = 2; i < argc; i++) {
        double x = atof(argv[i]), y;
        if (!strcmp(how, "quick"))
            y = quick_exp(x / 3); /* CAUSE quick */
        else if (!strcmp(how, "sinus"))
            y = sinus(x / 3);
        else if (!strcmp(how, "part"))
            y = part(1e9 * x / 3); /* CAUSE part */
        else
            y = measured(x / 3);
        printf("%.17g\n", y * 2); /* REACHED */
    }
}
