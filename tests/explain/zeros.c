/* Results that are zero in exact arithmetic, by design, and some that are not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 40 };

/* The largest |x - 1| after solving a system whose solution is 1 everywhere. */
static double solved(double shift) {
    static double a[SIZE][SIZE], x[SIZE];
    for (int i = 0; i < SIZE; i++) {
        double sum = 0;
        for (int j = 0; j < SIZE; j++) {
            a[i][j] = ((i * 7 + j * 13) % 17) / 16.0 + (i == j ? shift : 0);
            sum += a[i][j];
        }
        x[i] = sum;
    }
    for (int k = 0; k < SIZE; k++)
        for (int i = k + 1; i < SIZE; i++) {
            double factor = a[i][k] / a[k][k];
            for (int j = k; j < SIZE; j++)
                a[i][j] -= factor * a[k][j];
            x[i] -= factor * x[k];
        }
    double worst = 0;
    for (int i = SIZE - 1; i >= 0; i--) {
        for (int j = i + 1; j < SIZE; j++)
            x[i] -= a[i][j] * x[j];
        x[i] /= a[i][i];
        worst = fmax(worst, fabs(x[i] - 1));
    }
    return worst;
}

/* Harmonic sums, forwards and backwards. */
static double harmonic(int terms) {
    double forwards = 0, backwards = 0;
    for (int i = 1; i <= terms; i++)
        forwards += 1.0 / i;
    for (int i = terms; i >= 1; i--)
        backwards += 1.0 / i;
    return fabs(forwards - backwards);
}

/* The norm of what a root lacks. */
static double norm(double first) {
    double sum = 0;
    for (int i = 0; i < 50; i++) {
        double x = first + i, root = sqrt(x), rest = root * root - x;
        sum += rest * rest;
    }
    return sqrt(sum);
}

/* Sums of the same terms in two orders, from large ones to small ones, and all their differences. */
static double symmetry(double step) {
    double total = 0, size = 7000;
    for (int i = 0; i < 40; i++, size /= 2) {
        double left = (size + step) + 3 * step, right = size + (step + 3 * step);
        total += fabs(left - right);
    }
    return total;
}

/* Conjugate gradients on a small system; the norm of the last residual. */
static double gradients(double shift) {
    double x[SIZE] = {0}, r[SIZE], p[SIZE], rr = 0;
    for (int i = 0; i < SIZE; i++)
        rr += (p[i] = r[i] = 1 + i % 3) * r[i];
    for (int step = 0; step < 60 && rr > 1e-34; step++) {
        double ap[SIZE], pap = 0, next = 0;
        for (int i = 0; i < SIZE; i++) {
            ap[i] = (2 + shift) * p[i] - (i > 0 ? p[i - 1] : 0) - (i < SIZE - 1 ? p[i + 1] : 0);
            pap += p[i] * ap[i];
        }
        for (int i = 0; i < SIZE; i++) {
            x[i] += rr / pap * p[i];
            r[i] -= rr / pap * ap[i];
            next += r[i] * r[i];
        }
        for (int i = 0; i < SIZE; i++)
            p[i] = r[i] + next / rr * p[i];
        rr = next;
    }
    double all = 0;
    for (int i = 0; i < SIZE; i++) {
        double rest = 1 + i % 3 - (2 + shift) * x[i] + (i > 0 ? x[i - 1] : 0) + (i < SIZE - 1 ? x[i + 1] : 0);
        all += rest * rest;
    }
    return sqrt(all);
}

/* A variance by the formula that cancels: noise of its operands, but not zero. */
static double variance(double base) {
    double sum = 0, squares = 0;
    for (int i = 0; i < 4; i++) {
        double x = base + i % 2;
        sum += x;
        squares += x * x;
    }
    return squares / 4 - (sum / 4) * (sum / 4); /* CAUSE variance */
}

/* An exponential by its series: much smaller than the noise of its terms, but not zero. */
static double series(double x) {
    double term = 1, sum = 1;
    for (int i = 1; i <= 200; i++)
        sum += term *= x / i;
    return sum;
}

/* A check that fails: the error was made before it. */
static double failed(double large) {
    double x = 0.1, y = (x + large) - large; /* CAUSE failed */
    printf("%g\n", y);
    return x * 3 - y * 3;
}

int main(int count, char **words) {
    const char *way = words[1];
    double x = atof(words[2]);
    double result = !strcmp(way, "solved")      ? solved(x)
                    : !strcmp(way, "harmonic")  ? harmonic(x)
                    : !strcmp(way, "norm")      ? norm(x)
                    : !strcmp(way, "symmetry")  ? symmetry(x)
                    : !strcmp(way, "gradients") ? gradients(x)
                    : !strcmp(way, "variance")  ? variance(x)
                    : !strcmp(way, "failed")    ? failed(x)
                    : !strcmp(way, "series")    ? series(x)
                                                : exp(x) - 1; /* CAUSE tiny */
    printf("%g\n", result); /* REACHED */
    return count < 3;
}
