/* Functions that do not always come back, all with a cancellation at x = 1. */
#include <stdlib.h>

static double cancels(double x) { return (x * 1.1 - 1.1) * 3.0; }

double crashes(double x) {
  if (x < -1.0) *(volatile int *)8 = 1;
  return cancels(x);
}

double aborts(double x) {
  if (x < -1.0) abort();
  return cancels(x);
}

double never_returns(double x) {
  volatile int forever = x < -1.5;
  while (forever) {
  }
  return cancels(x);
}

double calls_exit(double x) {
  if (x < -1.0) exit(7);
  return cancels(x);
}

/* Its sum is always far from zero. */
double far_away(double x) { return x * x + 1; }

/* Zero without error where x = y, and wrong next to that. */
double difference_of_squares(double x, double y) { return x * x - y * y; }
