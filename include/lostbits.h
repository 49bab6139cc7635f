/* Annotations for lostbits. `lostbits cc` and `lostbits c++` find this header without an option; for every
 * other compiler the macros have no effect.
 *
 * lostbits_output(x)
 *     Marks x as a result: `lostbits explain` checks it like a printed value.
 *
 * LOSTBITS_CONTINUOUS { ... }
 *     Marks a continuous block: whichever branches it takes, its results differ no more than the compared
 *     values do. `lostbits watch` counts unstable decisions in it but does not report them. For code that
 *     you cannot edit, and for Fortran and Rust, see the README (comments, lostbits.toml).
 *
 * LOSTBITS_CONVERGENCE(i, bound, test)
 *     The value of `test`, which ends an iteration that has converged. It is the i-th test; after the
 *     bound-th the iteration fails. One iteration more or less does no harm, so an unstable test is only
 *     counted, except the last before the bound, which decides whether there is a solution. */
#ifndef LOSTBITS_H
#define LOSTBITS_H

#ifdef __cplusplus
extern "C"
#endif
__attribute__((weak)) void __lostbits_output(double value);
#define lostbits_output(value) (__lostbits_output ? __lostbits_output(value) : (void)0)

/* lostbits finds the name and the braces in the source. */
#define LOSTBITS_CONTINUOUS

#ifdef __LOSTBITS__
#ifdef __cplusplus
extern "C"
#endif
int __lostbits_convergence(int last, int test); /* a marker for the pass, not a function */
#define LOSTBITS_CONVERGENCE(i, bound, test) (__lostbits_convergence((i) >= (bound) - 1, (test) ? 1 : 0))
#else
#define LOSTBITS_CONVERGENCE(i, bound, test) ((test) ? 1 : 0)
#endif

#endif
