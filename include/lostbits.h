/* What a program may tell lostbits about itself. `lostbits cc` and `lostbits c++` find this header without
 * an option; compiled by anything else, everything here is nothing.
 *
 * lostbits_output(x)
 *     This value is a result: `lostbits explain` looks at it as it looks at what is printed.
 *
 * LOSTBITS_CONTINUOUS { ... }
 *     A continuous core: whichever way the decisions in this block go, what it computes differs no more than
 *     the decided values do. They are not reported as unstable, only counted. For code that cannot be
 *     edited, and for Fortran and Rust, see the README (comments, lostbits.toml).
 *
 * LOSTBITS_CONVERGENCE(i, bound, test)
 *     The value of `test`, which ends an iteration when it has converged; it is the i-th test, and after
 *     the bound-th the iteration is given up. One test more or less does no harm, so an unstable one is only
 *     counted; but not the last before the bound, which decides whether there is a solution at all. */
#ifndef LOSTBITS_H
#define LOSTBITS_H

#ifdef __cplusplus
extern "C"
#endif
__attribute__((weak)) void __lostbits_output(double value);
#define lostbits_output(value) (__lostbits_output ? __lostbits_output(value) : (void)0)

/* Found by its name and its braces, in the source. */
#define LOSTBITS_CONTINUOUS

#ifdef __LOSTBITS__
#ifdef __cplusplus
extern "C"
#endif
int __lostbits_convergence(int last, int test); /* a mark for the compiler, no function */
#define LOSTBITS_CONVERGENCE(i, bound, test) (__lostbits_convergence((i) >= (bound) - 1, (test) ? 1 : 0))
#else
#define LOSTBITS_CONVERGENCE(i, bound, test) ((test) ? 1 : 0)
#endif

#endif
