/* Nine routines of Meschach as functions of plain arrays: what FPGen (ICSE 2020) searched. Vectors and
   matrices are made once and filled for each call. */

#include "matrix.h"
#include "matrix2.h"

enum { N = 4 };

static VEC *vector(VEC **kept, int length, const double *values) {
    if (!*kept) *kept = v_get(length);
    if (values)
        for (int i = 0; i < length; i++) (*kept)->ve[i] = values[i];
    return *kept;
}

static MAT *matrix(MAT **kept, const double *values) {
    if (!*kept) *kept = m_get(N, N);
    if (values)
        for (int i = 0; i < N * N; i++) (*kept)->me[i / N][i % N] = values[i];
    return *kept;
}

static void copy_vector(const VEC *from, double *to) {
    for (int i = 0; i < (int)from->dim; i++) to[i] = from->ve[i];
}

static void copy_matrix(const MAT *from, double *to) {
    for (int i = 0; i < N * N; i++) to[i] = from->me[i / N][i % N];
}

static VEC *first, *second, *third, *longer;
static MAT *left, *right, *product;

double mes_sum(const double *x) { return v_sum(vector(&first, N, x)); }

double mes_norm1(const double *x) { return v_norm1(vector(&first, N, x)); }

double mes_norm2(const double *x) { return v_norm2(vector(&first, N, x)); }

double mes_dot(const double *x, const double *y) {
    return in_prod(vector(&first, N, x), vector(&second, N, y));
}

extern VEC *v_conv();

void mes_conv(const double *x, const double *y, double *out) {
    VEC *result = vector(&longer, 2 * N - 1, 0);
    v_conv(vector(&first, N, x), vector(&second, N, y), result);
    copy_vector(result, out);
}

void mes_mv(const double *A, const double *x, double *out) {
    VEC *result = vector(&third, N, 0);
    mv_mlt(matrix(&left, A), vector(&first, N, x), result);
    copy_vector(result, out);
}

void mes_mm(const double *A, const double *B, double *out) {
    MAT *result = matrix(&product, 0);
    m_mlt(matrix(&left, A), matrix(&right, B), result);
    copy_matrix(result, out);
}

/* Both factors, in one matrix. */
void mes_lu(const double *A, double *out) {
    static PERM *pivot;
    if (!pivot) pivot = px_get(N);
    copy_matrix(LUfactor(matrix(&left, A), pivot), out);
}

/* The Householder vectors with R, and then what is left of the vectors. */
void mes_qr(const double *A, double *out) {
    VEC *diagonal = vector(&third, N, 0);
    copy_matrix(QRfactor(matrix(&left, A), diagonal), out);
    copy_vector(diagonal, out + N * N);
}
