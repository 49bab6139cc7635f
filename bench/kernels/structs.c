/* Struct-heavy: rays and spheres, vectors passed and returned by value. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { double x, y, z; } Vec;
typedef struct { Vec origin, direction; } Ray;
typedef struct { Vec centre; double radius, shine; } Sphere;
typedef struct { double distance; Vec point, normal; int which; } Hit;

enum { SPHERES = 12 };
static Sphere scene[SPHERES];

__attribute__((noinline)) static Vec add(Vec a, Vec b) { return (Vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static Vec subtract(Vec a, Vec b) { return (Vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static Vec scaled(Vec a, double s) { return (Vec){a.x * s, a.y * s, a.z * s}; }
static double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__attribute__((noinline)) static Vec unit(Vec a) { return scaled(a, 1 / sqrt(dot(a, a))); }

__attribute__((noinline)) static Hit nearest(Ray ray) {
    Hit hit = {1e30, {0, 0, 0}, {0, 0, 0}, -1};
    for (int i = 0; i < SPHERES; i++) {
        Vec to = subtract(scene[i].centre, ray.origin);
        double along = dot(to, ray.direction);
        double square = along * along - dot(to, to) + scene[i].radius * scene[i].radius;
        if (square < 0) continue;
        double distance = along - sqrt(square);
        if (distance > 1e-6 && distance < hit.distance) hit.distance = distance, hit.which = i;
    }
    if (hit.which >= 0) {
        hit.point = add(ray.origin, scaled(ray.direction, hit.distance));
        hit.normal = unit(subtract(hit.point, scene[hit.which].centre));
    }
    return hit;
}

static double trace(Ray ray, int depth) {
    Hit hit = nearest(ray);
    if (hit.which < 0) return 0.5 * (1 + ray.direction.y);
    Vec light = unit((Vec){1, 2, -1});
    double shade = fmax(0, dot(hit.normal, light));
    if (depth == 0) return shade;
    Vec reflected = subtract(ray.direction, scaled(hit.normal, 2 * dot(ray.direction, hit.normal)));
    double shine = scene[hit.which].shine;
    return (1 - shine) * shade + shine * trace((Ray){hit.point, unit(reflected)}, depth - 1);
}

int main(int argc, char **argv) {
    int side = argc > 1 ? atoi(argv[1]) : 2000;
    for (int i = 0; i < SPHERES; i++)
        scene[i] = (Sphere){{3 * sin(i), 2 * cos(1.7 * i), 6 + i % 4}, 0.6 + 0.05 * i, 0.3 + 0.04 * i};
    double sum = 0;
    for (int row = 0; row < side; row++)
        for (int col = 0; col < side; col++) {
            Vec direction = unit((Vec){2.0 * col / side - 1, 2.0 * row / side - 1, 1});
            sum += trace((Ray){{0, 0, 0}, direction}, 4);
        }
    printf("structs %.17g\n", sum);
    return 0;
}
