#include <math.h>

double inner_state = 0.5;
_Thread_local double inner_local = 0.25;

double inner(double x, double (*callback)(double, float)) {
    inner_state = inner_state * 0.9 + callback(x, 0.3f);
    inner_local += inner_state / 3;
    return sqrt(fabs(inner_state)) + inner_local;
}
