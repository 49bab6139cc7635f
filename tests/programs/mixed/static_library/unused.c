double never_called(double x) { return x / 3; }
