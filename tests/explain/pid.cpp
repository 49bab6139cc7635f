// pid.c in C++: the clock is a class.
#include <cstdlib>
#include <iostream>

class Clock {
    double t = 0;

public:
    bool before(double end) const {
        return t < end; // REACHED
    }
    void advance() {
        t += 0.2; // CAUSE
    }
};

int main(int, char **argv) {
    double seconds = std::atof(argv[1]);
    int steps = 0;
    for (Clock clock; clock.before(seconds); clock.advance())
        steps++;
    std::cout << steps << '\n';
}
