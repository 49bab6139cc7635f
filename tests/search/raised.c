/* Functions that fail by saying so, and functions that give no number where there is one. */
#include <errno.h>
#include <math.h>

double length(double x, double y) { return sqrt(x * x + y * y); }

int status(double x, double *y)
{
    *y = x - 1.0;
    return x < 0.0 ? 33 : 0;
}

double sets_errno(double x)
{
    if (x < 0.0)
        errno = EDOM;
    return x - 1.0;
}

typedef void handler(const char *reason, int code);
static handler *installed;

void install(handler *wanted) { installed = wanted; }

double calls_handler(double x)
{
    if (x < 0.0 && installed)
        installed("negative", 1);
    return x - 1.0;
}

/* Nears zero at log(2), where neighbouring inputs give results that scatter. */
double scatters(double x) { return exp(x) - 2.0; }
