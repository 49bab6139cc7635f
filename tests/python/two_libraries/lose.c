/* Loses digits of all numbers of a buffer. */
void lose(double *x, long n) {
    for (long i = 0; i < n; i++) x[i] = (1 + (x[i] + 1e16)) - 1e16;
}
