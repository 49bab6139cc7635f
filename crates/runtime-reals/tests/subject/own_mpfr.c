/* A program with functions called like MPFR's and GMP's, and a floating-point environment of its own. */
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>

int __lostbits_reals_library(unsigned op, unsigned precision, unsigned count,
                             const double (*operands)[2], double (*result)[2]);

int mpfr_exp(void) { return 1; }
int mpfr_add(void) { return 2; }
int __gmpn_mul(void) { return 3; }
int __gmp_allocate_func = 4;

int main(int argc, char **argv) {
  double operands[1][2] = {{atof(argv[2]), atof(argv[3])}}, result[2] = {0, 0};
  fesetround(FE_UPWARD);
  feclearexcept(FE_ALL_EXCEPT);
  int defined = __lostbits_reals_library(atoi(argv[1]), 200, 1, operands, &result);
  int flags = fetestexcept(FE_ALL_EXCEPT), rounding = fegetround() == FE_UPWARD;
  fesetround(FE_TONEAREST);
  printf("%d %a %a flags %d rounding %d own %d\n", defined, result[0], result[1], flags, rounding,
         mpfr_exp() + mpfr_add() + __gmpn_mul() + __gmp_allocate_func);
}
