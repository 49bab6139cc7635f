typedef struct { double mean, deviation; float range[2]; } Summary;

Summary summarise(const double *v, int n);
double cubic_root(double a, double b, double c, float guess);
