/* See parts_difference.c. */
int is_positive(const double *difference) {
    return *difference * 3 > 0; /* UNSTABLE */
}
