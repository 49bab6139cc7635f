// args: 0.9999999 1e-7
// Kepler's equation near the pericentre of a very eccentric orbit, and the distance there.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    double e = atof(argv[1]);
    double mean = atof(argv[2]);
    double anomaly = 0.01;
    for (int i = 0; i < 60; i++) {
        double value = anomaly - e * sin(anomaly) - mean;
        double slope = 1 - e * cos(anomaly);
        anomaly = anomaly - value / slope;
    }
    double distance = 1 - e * cos(anomaly);
    double speed = sqrt(2 / distance - 1);
    printf("anomaly %.15g\n", anomaly);
    printf("distance %.15g\n", distance);
    printf("speed %.15g\n", speed);
    return argc > 99;
}
