// args: 400 1e-9
// A Kalman filter of position and speed with a very precise sensor.
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>

struct Filter {
    double position = 0, speed = 0;
    double p00 = 1e4, p01 = 0, p11 = 1e4;

    void predict(double dt)
    {
        position += dt * speed;
        p00 += dt * (2 * p01 + dt * p11);
        p01 += dt * p11;
    }

    void update(double measured, double noise)
    {
        double s = p00 + noise;
        double k0 = p00 / s;
        double k1 = p01 / s;
        double innovation = measured - position;
        position += k0 * innovation;
        speed += k1 * innovation;
        p11 -= k1 * p01;
        p01 *= 1 - k0;
        p00 *= 1 - k0;
    }
};

int main(int argc, char **argv)
{
    int steps = std::atoi(argv[1]);
    double noise = std::atof(argv[2]);
    Filter filter;
    for (int i = 0; i < steps; i++) {
        filter.predict(0.1);
        filter.update(3 + 0.25 * i * 0.1, noise);
    }
    std::cout << std::setprecision(12);
    std::cout << filter.position << "\n" << filter.speed << "\n";
    std::cout << filter.p00 << " " << filter.p01 << " " << filter.p11 << "\n";
    return argc > 99;
}
