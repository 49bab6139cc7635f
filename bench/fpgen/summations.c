/* The three summations of FPGen's Figure 1. Each reads an array and leaves it as it is. */

enum { MOST = 64 };

double recursive_summation(const double *A, int size) {
    double sums[MOST];
    for (int i = 0; i < size; i++) sums[i] = A[i];
    for (int i = size - 1; i > 0; i--) sums[i - 1] += sums[i];
    return sums[0];
}

/* In pairs, then pairs of pairs: a1 += a2; a3 += a4; a1 += a3. */
double pairwise_summation(const double *A, int size) {
    double sums[MOST];
    for (int i = 0; i < size; i++) sums[i] = A[i];
    for (int gap = 1; gap < size; gap *= 2)
        for (int i = 0; i + gap < size; i += 2 * gap) sums[i] += sums[i + gap];
    return sums[0];
}

double compensated_summation(const double *A, int size) {
    double sums[MOST], sum, a, e = 0;
    for (int i = 0; i < size; i++) sums[i] = A[i];
    for (int i = size - 1; i > 0; i--) {
        sum = sums[i];
        a = sums[i - 1] + e;
        sums[i - 1] = sum + a;
        e = (sum - sums[i - 1]) + a;
    }
    return sums[0];
}
