// A library of headers: what it computes is inlined into the program.
static inline double rise(double x) {
    return (1 + x) - 1; // CAUSE
}

// The caller that matters is the program's, not this one.
static inline double slope(double x) {
    return rise(x) / x;
}
