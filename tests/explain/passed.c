/* Numbers that the ABI passes as integers: members of unions, and floats beside an int. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))

union either {
    double number;
    long count;
};
struct tagged {
    long tag;
    union either value;
};
struct single {
    float number;
    int count;
};

APART static union either of_number(double x) { return (union either){.number = (x + 1e12) - 1e12}; } /* CAUSE union */
APART static double number_of(union either it) { return it.number * 2; }

APART static struct tagged tag(double x) { return (struct tagged){1, {.number = (x + 1e12) - 1e12}}; } /* CAUSE tagged */
APART static struct tagged handed_on(double x) { return tag(x); }
APART static double untag(const char *why, struct tagged it) { return it.tag ? it.value.number : (double)why[0]; }

APART static struct single single(float x) { return (struct single){(x + 1e6f) - 1e6f, 3}; } /* CAUSE float */
APART static double times(int by, struct single it) { return (double)it.number * by * it.count; }

int main(int argc, char **argv) {
    const char *how = argv[1];
    double x = atof(argv[2]);
    if (!strcmp(how, "union"))
        printf("%.17g\n", number_of(of_number(x))); /* REACHED union */
    else if (!strcmp(how, "tagged"))
        printf("%.17g\n", untag("", handed_on(x))); /* REACHED tagged */
    else if (!strcmp(how, "float"))
        printf("%.9g\n", times(2, single((float)x))); /* REACHED float */
    else
        /* The same bits once more, which are exact here. */
        printf("%.17g\n", number_of(of_number(x)) * 0 + number_of((union either){.count = atol(argv[3])}));
}
