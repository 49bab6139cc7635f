/* N-body: planets around a sun, leapfrog. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BODIES = 8 };
typedef struct { double x, y, z, vx, vy, vz, mass; } Body;
static Body body[BODIES];

static void advance(double dt) {
    for (int i = 0; i < BODIES; i++) {
        Body *b = &body[i];
        for (int j = i + 1; j < BODIES; j++) {
            Body *c = &body[j];
            double dx = b->x - c->x, dy = b->y - c->y, dz = b->z - c->z;
            double square = dx * dx + dy * dy + dz * dz + 1e-9;
            double strength = dt / (square * sqrt(square));
            b->vx -= dx * c->mass * strength, b->vy -= dy * c->mass * strength, b->vz -= dz * c->mass * strength;
            c->vx += dx * b->mass * strength, c->vy += dy * b->mass * strength, c->vz += dz * b->mass * strength;
        }
    }
    for (int i = 0; i < BODIES; i++)
        body[i].x += dt * body[i].vx, body[i].y += dt * body[i].vy, body[i].z += dt * body[i].vz;
}

static double energy(void) {
    double sum = 0;
    for (int i = 0; i < BODIES; i++) {
        Body *b = &body[i];
        sum += 0.5 * b->mass * (b->vx * b->vx + b->vy * b->vy + b->vz * b->vz);
        for (int j = i + 1; j < BODIES; j++)
            sum -= b->mass * body[j].mass / sqrt(pow(b->x - body[j].x, 2) + pow(b->y - body[j].y, 2) + pow(b->z - body[j].z, 2));
    }
    return sum;
}

int main(int argc, char **argv) {
    int steps = argc > 1 ? atoi(argv[1]) : 2000000;
    body[0].mass = 39.5;
    for (int i = 1; i < BODIES; i++) {
        double radius = 0.5 + i * 0.9, speed = sqrt(39.5 / radius);
        body[i] = (Body){radius * cos(i), radius * sin(i), 0.01 * i, -speed * sin(i), speed * cos(i), 0.001 * i, 1e-3 / i};
    }
    for (int step = 0; step < steps; step++) advance(1e-4);
    printf("nbody %.17g %.17g\n", energy(), body[3].x);
    return 0;
}
