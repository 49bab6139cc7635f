#include "numbers.h"

double cubic_root(double a, double b, double c, float guess) {
    double x = guess;
    for (int i = 0; i < 30; i++) x -= (((x + a) * x + b) * x + c) / ((3 * x + 2 * a) * x + b);
    return x;
}
