/* What a program can tell lostbits. Without lostbits, nothing happens. */
#ifndef LOSTBITS_H
#define LOSTBITS_H

#ifdef __cplusplus
extern "C"
#endif
__attribute__((weak)) void __lostbits_output(double value);

/* This value is a result: `lostbits explain` looks at it as it looks at what is printed. */
#define lostbits_output(value) (__lostbits_output ? __lostbits_output(value) : (void)0)

#endif
