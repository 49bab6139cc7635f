/* The same wrong number, put out in several ways. */
#include <complex.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vprintf(format, list); /* REACHED vprintf */
    va_end(list);
}

static void say_to(FILE *file, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vfprintf(file, format, list); /* REACHED vfprintf */
    va_end(list);
}

static void convert(char *text, size_t bytes, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(text, bytes, format, list); /* REACHED vsnprintf */
    va_end(list);
}

/* As many numbers as do not fit into registers. */
static void many(double x) {
    say("%d %s %g %g %g %g %g %g %g %g %g %*.3f\n", 1, "numbers", 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 8, x);
}

int main(int argc, char **argv) {
    const char *how = argv[1];
    double x = atof(argv[2]), y = sqrt(x + 1) - sqrt(x); /* CAUSE */
    float z = (float)x / 3;
    char text[64];
    if (!strcmp(how, "vprintf"))
        say("%d %.17g\n", 7, y);
    else if (!strcmp(how, "many"))
        many(y);
    else if (!strcmp(how, "vfprintf"))
        say_to(stdout, "%s: %.3f\n", "y", y);
    else if (!strcmp(how, "vsnprintf")) {
        convert(text, sizeof text, "%*.*g", 20, 15, y);
        puts(text);
    } else if (!strcmp(how, "puts")) {
        snprintf(text, sizeof text, "%g", y); /* REACHED puts */
        puts(text);
    } else if (!strcmp(how, "write")) {
        double both[2] = {1, y};
        return write(1, both, sizeof both) != sizeof both; /* REACHED write */
    } else if (!strcmp(how, "angle"))
        printf("%g\n", carg(1 + y * I)); /* REACHED angle */
    else if (!strcmp(how, "long-vprintf"))
        say("%d %Lg\n", 7, (long double)y);
    else if (!strcmp(how, "long-write")) {
        long double both[2] = {1, y};
        return write(1, both, sizeof both) != sizeof both; /* REACHED long-write */
    } else
        say("%s %.9g %g\n", "no harm", z, x);
}
