#pragma once

// The larger root of a x^2 + b x + c = 0.
double larger_root(double a, double b, double c);
