#!/usr/bin/env python3
"""Judges repairs of formulas in published crates with mpmath, an implementation that shares nothing with lostbits.

Each row: the formula as the crate has it, the formula that `lostbits fix bench/fix/found.fpcore` proposes, the exact function. Errors are
correct decimal digits, the fewest over 20,000 random inputs (magnitudes 1e-12 to 1e3, both signs where allowed) and at one input.
"""

import math
import random

import mpmath

mpmath.mp.dps = 60


def digits(computed, exact):
    if not math.isfinite(computed):
        return 0.0
    if exact == 0:
        return 16.0 if computed == 0 else 0.0
    relative = abs((mpmath.mpf(computed) - exact) / exact)
    return 16.0 if relative == 0 else max(0.0, min(16.0, float(-mpmath.log10(relative))))


def magnitude(generator):
    return 10 ** generator.uniform(-12, 3)


def signed(generator):
    return magnitude(generator) * generator.choice([-1, 1])


ROWS = [
    (
        "statrs 0.18.0, Exp::cdf",
        "1 - exp(-rate*x) -> -expm1(-(x*rate))",
        lambda rate, x: 1.0 - math.exp(-rate * x),
        lambda rate, x: -math.expm1(-(x * rate)),
        lambda rate, x: -mpmath.expm1(-mpmath.mpf(rate) * mpmath.mpf(x)),
        lambda generator: (magnitude(generator), magnitude(generator)),
        (1e-9, 1.0),
    ),
    (
        "num-complex 0.4.6, atanh, real axis",
        "(log(1+x) - log(1-x))/2 -> atanh(x)",
        lambda x: (math.log(1 + x) - math.log(1 - x)) / 2,
        math.atanh,
        lambda x: mpmath.atanh(mpmath.mpf(x)),
        lambda generator: (signed(generator) / 1001.0,),
        (1e-10,),
    ),
    (
        "num-complex 0.4.6, asinh, real axis",
        "log(x + sqrt(1 + x*x)) -> asinh(x)",
        lambda x: math.log(x + math.sqrt(1 + x * x)) if x + math.sqrt(1 + x * x) > 0 else -math.inf,
        math.asinh,
        lambda x: mpmath.asinh(mpmath.mpf(x)),
        lambda generator: (signed(generator),),
        (-1e7,),
    ),
]


def main():
    for name, change, before, after, exact, draw, example in ROWS:
        generator = random.Random(1)
        fewest = [16.0, 16.0]
        for _ in range(20000):
            point = draw(generator)
            truth = exact(*point)
            for index, formula in enumerate((before, after)):
                fewest[index] = min(fewest[index], digits(formula(*point), truth))
        truth = exact(*example)
        at = [digits(formula(*example), truth) for formula in (before, after)]
        print(f"{name}: {change}")
        print(f"  correct digits, fewest of 20000 inputs: {fewest[0]:.1f} -> {fewest[1]:.1f}")
        print(f"  at {', '.join(map(repr, example))}: {at[0]:.1f} -> {at[1]:.1f}")


if __name__ == "__main__":
    main()
