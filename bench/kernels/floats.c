/* Float-heavy: an image filter in single precision. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { W = 512, H = 512, R = 3 };
static float image[H][W], blurred[H][W], edges[H][W];
static float weight[2 * R + 1];

static void blur(void) {
    for (int y = 0; y < H; y++)
        for (int x = R; x < W - R; x++) {
            float sum = 0;
            for (int k = -R; k <= R; k++) sum += weight[k + R] * image[y][x + k];
            edges[y][x] = sum;
        }
    for (int y = R; y < H - R; y++)
        for (int x = 0; x < W; x++) {
            float sum = 0;
            for (int k = -R; k <= R; k++) sum += weight[k + R] * edges[y + k][x];
            blurred[y][x] = sum;
        }
}

static void find_edges(void) {
    for (int y = 1; y < H - 1; y++)
        for (int x = 1; x < W - 1; x++) {
            float gx = blurred[y][x + 1] - blurred[y][x - 1], gy = blurred[y + 1][x] - blurred[y - 1][x];
            float strength = sqrtf(gx * gx + gy * gy);
            edges[y][x] = strength > 0.25f ? 1.0f : strength * 4.0f;
        }
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 650;
    float norm = 0;
    for (int k = -R; k <= R; k++) norm += weight[k + R] = expf(-0.3f * (float)(k * k));
    for (int k = 0; k <= 2 * R; k++) weight[k] /= norm;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) image[y][x] = sinf(0.1f * (float)x) * cosf(0.07f * (float)y) + ((x / 32 + y / 32) & 1);
    for (int round = 0; round < rounds; round++) {
        blur();
        find_edges();
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) image[y][x] = 0.98f * image[y][x] + 0.02f * edges[y][x];
    }
    double sum = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) sum += image[y][x];
    printf("floats %.17g\n", sum);
    return 0;
}
