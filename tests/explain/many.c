// More causes than have bits of their own, so that sets of them are known by numbers too.
#include <stdio.h>
#include <stdlib.h>

#define CAUSE static __attribute__((noinline)) double
CAUSE f0(double x) { return (x + 0.001) - x; } // UNREPORTED
CAUSE f1(double x) { return (x + 0.011) - x; } // UNREPORTED
CAUSE f2(double x) { return (x + 0.021) - x; } // UNREPORTED
CAUSE f3(double x) { return (x + 0.031) - x; } // alone mixed
CAUSE f4(double x) { return (x + 0.041) - x; } // UNREPORTED
CAUSE f5(double x) { return (x + 0.051) - x; } // UNREPORTED
CAUSE f6(double x) { return (x + 0.061) - x; } // UNREPORTED
CAUSE f7(double x) { return (x + 0.071) - x; } // UNREPORTED
CAUSE f8(double x) { return (x + 0.081) - x; } // UNREPORTED
CAUSE f9(double x) { return (x + 0.091) - x; } // UNREPORTED
CAUSE f10(double x) { return (x + 0.101) - x; } // UNREPORTED
CAUSE f11(double x) { return (x + 0.111) - x; } // UNREPORTED
CAUSE f12(double x) { return (x + 0.121) - x; } // UNREPORTED
CAUSE f13(double x) { return (x + 0.131) - x; } // UNREPORTED
CAUSE f14(double x) { return (x + 0.141) - x; } // UNREPORTED
CAUSE f15(double x) { return (x + 0.151) - x; } // UNREPORTED
CAUSE f16(double x) { return (x + 0.161) - x; } // UNREPORTED
CAUSE f17(double x) { return (x + 0.171) - x; } // UNREPORTED
CAUSE f18(double x) { return (x + 0.181) - x; } // UNREPORTED
CAUSE f19(double x) { return (x + 0.191) - x; } // UNREPORTED
CAUSE f20(double x) { return (x + 0.201) - x; } // UNREPORTED
CAUSE f21(double x) { return (x + 0.211) - x; } // UNREPORTED
CAUSE f22(double x) { return (x + 0.221) - x; } // UNREPORTED
CAUSE f23(double x) { return (x + 0.231) - x; } // UNREPORTED
CAUSE f24(double x) { return (x + 0.241) - x; } // UNREPORTED
CAUSE f25(double x) { return (x + 0.251) - x; } // UNREPORTED
CAUSE f26(double x) { return (x + 0.261) - x; } // UNREPORTED
CAUSE f27(double x) { return (x + 0.271) - x; } // UNREPORTED
CAUSE f28(double x) { return (x + 0.281) - x; } // kahan
CAUSE f29(double x) { return (x + 0.291) - x; } // kahan
CAUSE f30(double x) { return (x + 0.301) - x; } // kahan
CAUSE f31(double x) { return (x + 0.311) - x; } // kahan
CAUSE f32(double x) { return (x + 0.321) - x; } // kahan
CAUSE f33(double x) { return (x + 0.331) - x; } // kahan
CAUSE f34(double x) { return (x + 0.341) - x; } // UNREPORTED
CAUSE f35(double x) { return (x + 0.351) - x; } // UNREPORTED
CAUSE f36(double x) { return (x + 0.361) - x; } // both
CAUSE f37(double x) { return (x + 0.371) - x; } // UNREPORTED
CAUSE f38(double x) { return (x + 0.381) - x; } // late mixed both
CAUSE f39(double x) { return (x + 0.391) - x; } // UNREPORTED

static double (*const causes[])(double) = {
    f0, f1, f2, f3, f4, f5, f6, f7, f8, f9,
    f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
    f20, f21, f22, f23, f24, f25, f26, f27, f28, f29,
    f30, f31, f32, f33, f34, f35, f36, f37, f38, f39,
};
enum { COUNT = sizeof causes / sizeof *causes };

static __attribute__((noinline)) double kahan(const double *values, int count) {
    double sum = 0, lost = 0;
    for (int i = 0; i < count; i++) {
        double y = values[i] - lost;
        double t = sum + y;
        lost = (t - sum) - y;
        sum = t;
    }
    return sum;
}

int main(int argc, char **argv) {
    double x = atof(argv[1]), found[COUNT];
    for (int i = 0; i < COUNT; i++) found[i] = causes[i](x);
    printf("%.17g\n", found[3]);             // REACHED alone
    printf("%.17g\n", found[38]);            // REACHED late
    printf("%.17g\n", found[3] + found[38]);  // REACHED mixed
    printf("%.17g\n", found[36] + found[38]); // REACHED both
    printf("%.17g\n", kahan(found + 28, 6));  // REACHED kahan
    return 0;
}
