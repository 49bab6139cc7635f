// lostbits: flags=-g0
// lostbits: fresh=0
// Compiled without -g: everything must work the same, with function names only.
#include <math.h>
#include <stdio.h>

typedef struct { double x, y, vx, vy; } State;

static State derivative(State s) {
    double r = hypot(s.x, s.y), cubed = r * r * r;
    return (State){s.vx, s.vy, -s.x / cubed, -s.y / cubed};
}

static State along(State s, State d, double h) {
    return (State){s.x + h * d.x, s.y + h * d.y, s.vx + h * d.vx, s.vy + h * d.vy};
}

static State runge_kutta(State s, double h) {
    State a = derivative(s), b = derivative(along(s, a, h / 2)), c = derivative(along(s, b, h / 2)), d = derivative(along(s, c, h));
    s = along(s, a, h / 6);
    s = along(s, b, h / 3);
    s = along(s, c, h / 3);
    return along(s, d, h / 6);
}

int main(void) {
    volatile double speed = 1.1;
    State s = {1, 0, 0, speed};
    for (int i = 0; i < 400; i++) {
        s = runge_kutta(s, 0.02);
        if (i % 40 == 0) printf("%a %a %.17g\n", s.x, s.y, (s.vx * s.vx + s.vy * s.vy) / 2 - 1 / hypot(s.x, s.y));
    }
    return 0;
}
