/* The same wrong number, printed with more and with fewer digits. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

static void say(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vprintf(format, list); /* REACHED list */
    va_end(list);
}

int main(int argc, char **argv) {
    const char *how = argv[1];
    double x = atof(argv[2]);
    int digits = argc > 3 ? atoi(argv[3]) : 6;
    double y = sqrt(x + 1) - sqrt(x); /* CAUSE */
    if (!strcmp(how, "default"))
        printf("y = %g, %d\n", y, 1); /* REACHED default */
    else if (!strcmp(how, "fixed"))
        printf("%s %.9f\n", how, y); /* REACHED fixed */
    else if (!strcmp(how, "scientific"))
        printf("%12.4e\n", y); /* REACHED scientific */
    else if (!strcmp(how, "star"))
        printf("%*.*g\n", 20, digits, y); /* REACHED star */
    else if (!strcmp(how, "long"))
        printf("%.*Lg\n", digits, (long double)y); /* REACHED long */
    else if (!strcmp(how, "list"))
        say("%d: %.*f\n", 1, digits, y);
    else if (!strcmp(how, "variable"))
        printf(argv[4], y); /* REACHED variable */
    else if (!strcmp(how, "text")) {
        char text[64];
        snprintf(text, sizeof text, "%.3g", y); /* REACHED text */
        puts(text);
    } else if (!strcmp(how, "hexadecimal"))
        printf("%a\n", y); /* REACHED hexadecimal */
    return 0;
}
