// qsort and bsearch of the C library (not instrumented) call back into instrumented comparisons and
// move the values about behind the program's back.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double key;
    float weight;
    char name[4];
} Entry;

static int comparisons;

static int by_value(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    comparisons++;
    return (a > b) - (a < b);
}

static int by_distance(const void *left, const void *right) {
    const Entry *a = left, *b = right;
    double da = fabs(a->key - 0.5) * a->weight, db = fabs(b->key - 0.5) * b->weight;
    if (da != db) return da < db ? -1 : 1;
    return memcmp(a->name, b->name, sizeof a->name);
}

static int float_down(const void *left, const void *right) {
    float a = *(const float *)left, b = *(const float *)right;
    return a < b ? 1 : a > b ? -1 : 0;
}

int main(void) {
    double values[101];
    Entry entries[40];
    float floats[64];
    for (int i = 0; i < 101; i++) values[i] = sin(i * 1.7) * pow(10, i % 5);
    for (int i = 0; i < 40; i++) {
        entries[i].key = fmod(i * 0.37, 1.0);
        entries[i].weight = 1.0f + (float)(i % 3) / 3.0f;
        snprintf(entries[i].name, sizeof entries[i].name, "%d", i);
    }
    for (int i = 0; i < 64; i++) floats[i] = cosf((float)i) / (i + 1);

    qsort(values, 101, sizeof *values, by_value);
    qsort(entries, 40, sizeof *entries, by_distance);
    qsort(floats, 64, sizeof *floats, float_down);

    double running = 0;
    for (int i = 0; i < 101; i++) {
        running = running * 0.9 + values[i];
        if (i % 10 == 0) printf("%.17g %a\n", values[i], running);
    }
    for (int i = 0; i < 40; i += 3) printf("%s %a %a\n", entries[i].name, entries[i].key, entries[i].weight);
    for (int i = 0; i < 64; i += 7) printf("%a\n", floats[i] * floats[63 - i]);
    for (int i = 0; i < 101; i += 25) {
        double wanted = values[i];
        double *found = bsearch(&wanted, values, 101, sizeof *values, by_value);
        printf("%d %a\n", found != NULL, found ? *found / 3 : 0.0);
    }
    printf("%d\n", comparisons > 100);
    return 0;
}
