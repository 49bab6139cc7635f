// Conversions between every integer and FP type, decisions by (int)x, text by snprintf and back.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static const char *name(double x) {
    switch ((int)x) {
    case -2: return "minus two";
    case -1: return "minus one";
    case 0: return "zero";
    case 1: return "one";
    case 2 ... 5: return "a few";
    case 1000: return "a thousand";
    default: return x > 0 ? "many" : "few";
    }
}

static double round_trip(double x, int digits) {
    char text[64];
    snprintf(text, sizeof text, "%.*g", digits, x);
    return atof(text);
}

int main(void) {
    volatile double seed = 0.123456789;
    double x = seed;
    float f = (float)seed;
    for (int i = 0; i < 40; i++) {
        x = x * -1.7 + i * 0.01;
        f = f * -1.3f + (float)i;
        int8_t c = (int8_t)fmod(x, 100);
        uint8_t uc = (uint8_t)fmod(fabs(x), 200);
        int16_t s = (int16_t)fmod(x, 30000);
        int32_t w = (int32_t)fmod(x * 1e3, 2e9);
        uint32_t uw = (uint32_t)fmod(fabs(x) * 1e3, 4e9);
        int64_t l = (int64_t)fmod(x * 1e6, 9e18);
        uint64_t ul = (uint64_t)fmod(fabs(x) * 1e9 + 9.3e18, 1.8e19);
        __int128 huge = (__int128)(x * 1e20);
        printf("%d %u %d %d %u %lld %llu %s\n", c, uc, s, w, uw, (long long)l, (unsigned long long)ul, name(fmod(x, 7)));
        double back = (double)c / 3 + uc * 0.1 + (float)s + (double)w * 1e-5 + (float)uw + (double)l * 1e-9 + (double)ul + (double)huge * 1e-18;
        printf("%a %a %a %d\n", back, (double)f + (float)l, (float)ul, (int)(f * 3) % 7);
        printf("%a %a\n", round_trip(x, 5), round_trip(x, 17) - x);
        printf("%d %d %d\n", (_Bool)x, !x, x ? 1 : 0);
    }
    printf("%ld %lld %a\n", lround(x), llrintf(f), (double)(float)(0.1 * seed));
    return 0;
}
