// Intrinsics of SSE2 (and AVX2 with FMA where compiled for): packed and scalar arithmetic, masks,
// shuffles, bit operations on FP registers, unaligned and streaming memory access, conversions.
#include <immintrin.h>
#include <stdio.h>

static double packed(const double *x, const double *y, int n) {
    __m128d sum = _mm_setzero_pd();
    for (int i = 0; i < n; i += 2) {
        __m128d a = _mm_loadu_pd(x + i), b = _mm_loadu_pd(y + i);
        __m128d larger = _mm_cmpgt_pd(a, b);
        __m128d chosen = _mm_or_pd(_mm_and_pd(larger, a), _mm_andnot_pd(larger, b));
        sum = _mm_add_pd(sum, _mm_mul_pd(chosen, _mm_sqrt_pd(_mm_add_pd(_mm_mul_pd(a, a), _mm_set1_pd(0.5)))));
    }
    return _mm_cvtsd_f64(sum) + _mm_cvtsd_f64(_mm_unpackhi_pd(sum, sum));
}

static float singles(const float *x, int n) {
    const __m128 sign = _mm_set1_ps(-0.0f);
    __m128 sum = _mm_set_ps(1, 2, 3, 4);
    for (int i = 0; i < n; i += 4) {
        __m128 v = _mm_loadu_ps(x + i);
        __m128 magnitude = _mm_andnot_ps(sign, v), flipped = _mm_xor_ps(sign, v);
        sum = _mm_add_ps(_mm_div_ps(sum, _mm_add_ps(magnitude, _mm_set1_ps(1.5f))), _mm_max_ps(flipped, _mm_min_ps(v, sum)));
        sum = _mm_shuffle_ps(sum, sum, _MM_SHUFFLE(0, 3, 2, 1));
    }
    float out[4];
    _mm_storeu_ps(out, sum);
    return out[0] - out[1] * out[2] + out[3];
}

int main(void) {
    volatile double seed = 0.3;
    double x[32], y[32];
    float f[32];
    _Alignas(16) double streamed[2];
    for (int i = 0; i < 32; i++) {
        x[i] = seed * i - 4;
        y[i] = 5 / (i + seed);
        f[i] = (float)(x[i] * y[i]);
    }
    printf("%a %a\n", packed(x, y, 32), singles(f, 32));
    for (int i = 0; i < 30; i += 3) {
        __m128d v = _mm_loadu_pd(x + i), w = _mm_load_sd(y + i);
        __m128i whole = _mm_cvttpd_epi32(v);
        __m128d again = _mm_add_sd(_mm_cvtepi32_pd(whole), w);
        __m128 narrow = _mm_cvtpd_ps(v);
        _mm_stream_pd(streamed, _mm_sub_pd(again, v));
        _mm_sfence();
        __m128d mixed = _mm_loadh_pd(_mm_loadl_pd(v, &y[i]), streamed);
        double low, high;
        _mm_storel_pd(&low, mixed);
        _mm_storeh_pd(&high, mixed);
        __m128i bits = _mm_castpd_si128(v);
        __m128d halved = _mm_castsi128_pd(_mm_sub_epi64(bits, _mm_set1_epi64x(1ll << 52)));
        printf("%a %a %a %a\n", low * 1.5, high / 3, _mm_cvtss_f32(narrow) * 0.7f, _mm_cvtsd_f64(halved) + 1);
        printf("%d %d %d\n", _mm_movemask_pd(v), _mm_comilt_sd(v, w), _mm_cvttsd_si32(again));
    }
#ifdef __AVX2__
    __m256d wide = _mm256_setzero_pd();
    for (int i = 0; i < 32; i += 4) {
        __m256d a = _mm256_loadu_pd(x + i), b = _mm256_i32gather_pd(y, _mm_set_epi32(i, 31 - i, 3, i / 2), 8);
        wide = _mm256_fmadd_pd(a, b, _mm256_permute4x64_pd(wide, 0x1b));
        wide = _mm256_blendv_pd(wide, _mm256_hadd_pd(a, b), _mm256_cmp_pd(a, b, _CMP_LT_OQ));
        _mm256_maskstore_pd(y + i, _mm256_set_epi64x(-1, 0, -1, 0), wide);
    }
    for (int i = 0; i < 32; i++) printf("%a\n", y[i] / 3);
#endif
    return 0;
}
