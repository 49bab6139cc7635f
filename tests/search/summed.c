/* Rounding errors that accumulate in a loop, and what is left of the sum. */
double drift(double x) {
  double sum = 0;
  for (int k = 0; k < 100; k++)
    sum += x * 0.1;
  return sum - x * 10;
}
