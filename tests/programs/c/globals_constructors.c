// Initialised data, constructors of several priorities, weak symbols and aliases, thread-local
// initialisers, static locals, constant tables.
#include <math.h>
#include <stdio.h>

static double table[2][3] = {{1.5, -2.25, 1.0 / 3}, {0x1p-1074, 1e300, 6.02214076e23}};
static const float constants[] = {0.1f, 0.2f, 0.3f, 0.7f, -1.1f};
static struct { int n; double x; const char *name; float f[2]; } records[] = {{1, 0.1, "a", {1, 2}}, {2, 0.2, "b", {3, 4.5f}}};
double *pointer_into = &table[0][2];
static _Thread_local double local_value = 2.75;
double uninitialised[4];
static double log_of_construction;

double original(double x) { return x * 1.25 + 0.1; }
extern double alias_of(double x) __attribute__((alias("original")));
__attribute__((weak)) double replaceable(double x) { return x - 0.7; }
extern double missing(double x) __attribute__((weak));

__attribute__((constructor(201))) static void early(void) { log_of_construction = sqrt(table[0][0]); }
__attribute__((constructor(202))) static void later(void) { log_of_construction = log_of_construction / 3 + constants[2]; }
__attribute__((constructor)) static void last(void) {
    log_of_construction *= alias_of(uninitialised[1] = 0.5);
    printf("constructed %a\n", log_of_construction);
}

static double counter(double by) {
    static double state = 0.1;
    static float seen[3];
    seen[(int)state % 3] += (float)by;
    return state = state * 1.1 + by + seen[1];
}

int main(void) {
    double sum = log_of_construction;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) sum = sum / 2 + log(fabs(table[i][j]) + 1);
    for (int i = 0; i < 5; i++) {
        sum += constants[i] * counter(i * 0.3);
        *pointer_into += local_value;
        local_value /= 3;
        records[i % 2].x *= replaceable(sum);
        records[i % 2].f[1] += (float)records[1].x;
        uninitialised[i % 4] += alias_of(sum);
        printf("%a %a %a %a %a\n", sum, table[0][2], local_value, records[i % 2].x, records[i % 2].f[1]);
    }
    for (int i = 0; i < 4; i++) printf("%a\n", uninitialised[i]);
    printf("%d\n", missing != NULL);
    return 0;
}
