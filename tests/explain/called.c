/* Library functions that are called through pointers are operations like others. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    const char *name;
    double (*function)(double);
};

static struct entry table[] = {{"log", log}, {"sin", sin}, {"sqrt", sqrt}}; // CAUSE log

__attribute__((noinline)) static double twice(double (*f)(double), double x) { return f(f(x)); }

__attribute__((noinline)) static float of_two(float (*f)(float, float), float x, float y) { return f(x, y); }

int main(int argc, char **argv) {
    const char *how = argv[1];
    double x = atof(argv[2]);
    struct entry *entry = table;
    while (strcmp(entry->name, argc > 3 ? argv[3] : "sin"))
        entry++;
    if (!strcmp(how, "through")) {
        double lost = (1 + x) - 1; // CAUSE through
        printf("%.17g\n", entry->function(lost)); // REACHED through
    } else if (!strcmp(how, "difference")) {
        double y = entry->function(1 + x) - entry->function(1); // CAUSE difference
        printf("%.17g\n", y); // REACHED difference
    } else if (!strcmp(how, "argument")) {
        double lost = (1 + x) - 1; // CAUSE argument
        printf("%.17g\n", twice(sqrt, lost)); // REACHED argument
        printf("%.9g\n", of_two(powf, 1.5f, 2));
    } else if (!strcmp(how, "exact")) {
        printf("%.17g\n", entry->function(x));
        printf("%d\n", entry->function == sin);
    }
}
