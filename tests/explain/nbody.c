/* Five bodies for some steps: lost bits that nine printed places do not show. With more places, they do. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BODIES 5
#define PI 3.141592653589793
#define SOLAR (4 * PI * PI)
#define DAYS 365.24

static double at[BODIES][3] = {
    {0, 0, 0},
    {4.84143144246472090e+00, -1.16032004402742839e+00, -1.03622044471123109e-01},
    {8.34336671824457987e+00, 4.12479856412430479e+00, -4.03523417114321381e-01},
    {1.28943695621391310e+01, -1.51111514016986312e+01, -2.23307578892655734e-01},
    {1.53796971148509165e+01, -2.59193146099879641e+01, 1.79258772950371181e-01},
};
static double speed[BODIES][3] = {
    {0, 0, 0},
    {1.66007664274403694e-03 * DAYS, 7.69901118419740425e-03 * DAYS, -6.90460016972063023e-05 * DAYS},
    {-2.76742510726411899e-03 * DAYS, 4.99852801234917238e-03 * DAYS, 2.30417297573763929e-05 * DAYS},
    {2.96460137564761618e-03 * DAYS, 2.37847173959480950e-03 * DAYS, -2.96589568540237556e-05 * DAYS},
    {2.68067772490389322e-03 * DAYS, 1.62824170038242295e-03 * DAYS, -9.51592254519715870e-05 * DAYS},
};
static double mass[BODIES] = {SOLAR, 9.54791938424326609e-04 * SOLAR, 2.85885980666130812e-04 * SOLAR,
                              4.36624404335156298e-05 * SOLAR, 5.15138902046611451e-05 * SOLAR};

static double distance_squared(const double *x, const double *y) {
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += (x[k] - y[k]) * (x[k] - y[k]);
    return sum;
}

static double energy(void) {
    double e = 0;
    for (int i = 0; i < BODIES; i++) {
        double zero[3] = {0, 0, 0};
        e += 0.5 * mass[i] * distance_squared(speed[i], zero);
        for (int j = i + 1; j < BODIES; j++)
            e -= mass[i] * mass[j] / sqrt(distance_squared(at[i], at[j]));
    }
    return e;
}

static void advance(double dt) {
    for (int i = 0; i < BODIES; i++)
        for (int j = i + 1; j < BODIES; j++) {
            double d = distance_squared(at[i], at[j]);
            double pull = dt / (d * sqrt(d));
            for (int k = 0; k < 3; k++) {
                double apart = at[i][k] - at[j][k];
                speed[i][k] -= apart * mass[j] * pull;
                speed[j][k] += apart * mass[i] * pull;
            }
        }
    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < 3; k++)
            at[i][k] += dt * speed[i][k];
}

int main(int argc, char **argv) {
    int steps = atoi(argv[1]), places = atoi(argv[2]);
    for (int k = 0; k < 3; k++)
        for (int i = 1; i < BODIES; i++)
            speed[0][k] -= speed[i][k] * mass[i] / SOLAR;
    printf("%.*f\n", places, energy());
    for (int i = 0; i < steps; i++)
        advance(0.01);
    printf("%.*f\n", places, energy());
    return 0;
}
