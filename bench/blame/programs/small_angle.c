// args: 1e-6
// The angle between two nearly parallel vectors, and the area between them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct vector { double x, y, z; };

static double dot(struct vector a, struct vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vector unit(struct vector a)
{
    double length = sqrt(dot(a, a));
    struct vector result = {a.x / length, a.y / length, a.z / length};
    return result;
}

int main(int argc, char **argv)
{
    double tilt = atof(argv[1]);
    struct vector a = unit((struct vector){1, 2, 3});
    struct vector b = unit((struct vector){1 + tilt, 2 - tilt, 3});
    double cosine = dot(a, b);
    double angle = acos(cosine);
    double z = a.x * b.y - a.y * b.x;
    printf("angle %.12e\n", angle);
    printf("z of the cross product %.15e\n", z);
    return argc > 99;
}
