// Clusters points in the plane around eight centres by Lloyd's iteration.
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 20000, CENTRES = 8 };
static double p[POINTS][2], c[CENTRES][2], sum[CENTRES][2];
static int members[CENTRES];
static unsigned long state = 2463534242UL;

static double uniform(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / 9007199254740992.0;
}

int main(int argc, char **argv) {
    long rounds = argc > 1 ? atol(argv[1]) : 600;
    for (int i = 0; i < POINTS; i++) {
        p[i][0] = uniform() + i % CENTRES;
        p[i][1] = uniform() + (i * 5) % CENTRES;
    }
    for (int k = 0; k < CENTRES; k++) c[k][0] = c[k][1] = k + 0.125;
    for (long round = 0; round < rounds; round++) {
        for (int k = 0; k < CENTRES; k++) sum[k][0] = sum[k][1] = members[k] = 0;
        for (int i = 0; i < POINTS; i++) {
            int nearest = 0;
            double least = 1e300;
            for (int k = 0; k < CENTRES; k++) {
                double x = p[i][0] - c[k][0], y = p[i][1] - c[k][1], distance = x * x + y * y;
                if (distance < least) {
                    least = distance;
                    nearest = k;
                }
            }
            sum[nearest][0] += p[i][0];
            sum[nearest][1] += p[i][1];
            members[nearest]++;
        }
        for (int k = 0; k < CENTRES; k++)
            for (int i = 0; i < 2; i++)
                if (members[k]) c[k][i] = sum[k][i] / members[k];
    }
    for (int k = 0; k < CENTRES; k++) printf("%.6f %.6f %d\n", c[k][0], c[k][1], members[k]);
}
