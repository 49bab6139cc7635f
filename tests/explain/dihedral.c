/* The angle between the planes of four atoms; the vectors are Fortran's. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void cross(const double *a, const double *b, double *result);
double product(const double *a, const double *b);

static double dihedral(double atoms[4][3]) {
    double bonds[3][3], m[3], n[3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            bonds[i][k] = atoms[i + 1][k] - atoms[i][k];
    cross(bonds[0], bonds[1], m);
    cross(bonds[1], bonds[2], n);
    return product(m, n) / sqrt(product(m, m) * product(n, n));
}

int main(int argc, char **argv) {
    double atoms[4][3];
    for (int i = 0; i < 12; i++)
        atoms[i / 3][i % 3] = atof(argv[i + 1]);
    printf("%.15g\n", dihedral(atoms)); /* REACHED */
}
