/* Wrong numbers that the C library sorts: they are wrong wherever they end up. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 12

struct item {
    int key;
    float weight;
    double value;
};

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int by_key(const void *a, const void *b) {
    return ((const struct item *)a)->key - ((const struct item *)b)->key;
}

static int in_direction(const void *a, const void *b, void *direction) {
    return *(int *)direction * ascending(a, b);
}

int main(int argc, char **argv) {
    const char *how = argv[1];
    double x = atof(argv[2]);
    double list[COUNT];
    struct item items[COUNT];
    for (int i = 0; i < COUNT; i++) {
        list[i] = COUNT - i;
        items[i] = (struct item){COUNT - i, COUNT - i, COUNT - i};
    }
    double lost = (1 + x) - 1; // CAUSE
    list[COUNT / 2] = lost;
    items[COUNT / 2].key = -1;
    items[COUNT / 2].value = lost;
    if (!strcmp(how, "numbers")) {
        qsort(list, COUNT, sizeof *list, ascending);
        printf("%.17g\n", list[0]); // REACHED numbers
        printf("%.17g\n", list[COUNT / 2]);
    } else if (!strcmp(how, "structures")) {
        qsort(items, COUNT, sizeof *items, by_key);
        printf("%.17g\n", items[0].value); // REACHED structures
        printf("%.9g\n", items[0].weight);
    } else if (!strcmp(how, "context")) {
        int direction = -1;
        qsort_r(list, COUNT, sizeof *list, in_direction, &direction);
        printf("%.17g\n", list[COUNT - 1]); // REACHED context
        printf("%.17g\n", list[COUNT / 2]);
    } else if (!strcmp(how, "found")) {
        qsort(list, COUNT, sizeof *list, ascending);
        double *found = bsearch(&lost, list, COUNT, sizeof *list, ascending);
        printf("%.17g\n", *found); // REACHED found
    }
    return 0;
}
