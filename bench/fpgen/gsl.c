/* Weighted statistics of GSL: what FPGen (ICSE 2020) searched. The variants with a fixed mean are given the
   weighted mean of the same data. */

#include <gsl/gsl_statistics.h>

enum { N = 4 };

double wmean(const double *w, const double *x) { return gsl_stats_wmean(w, 1, x, 1, N); }
double wvariance(const double *w, const double *x) { return gsl_stats_wvariance(w, 1, x, 1, N); }
double wsd(const double *w, const double *x) { return gsl_stats_wsd(w, 1, x, 1, N); }
double wtss(const double *w, const double *x) { return gsl_stats_wtss(w, 1, x, 1, N); }
double wabsdev(const double *w, const double *x) { return gsl_stats_wabsdev(w, 1, x, 1, N); }
double wskew(const double *w, const double *x) { return gsl_stats_wskew(w, 1, x, 1, N); }
double wkurtosis(const double *w, const double *x) { return gsl_stats_wkurtosis(w, 1, x, 1, N); }

double wvariance_w(const double *w, const double *x) {
    return gsl_stats_wvariance_with_fixed_mean(w, 1, x, 1, N, wmean(w, x));
}

double wsd_w(const double *w, const double *x) {
    return gsl_stats_wsd_with_fixed_mean(w, 1, x, 1, N, wmean(w, x));
}
