/* The sample variance of n numbers. */
double variance(const double *x, int n);
