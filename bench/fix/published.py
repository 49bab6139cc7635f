#!/usr/bin/env python3
"""Judges the patches of scripts/fix-published.sh: the published and the patched code are compiled and run, mpmath is the truth.

For each function: the fewest correct decimal digits over random inputs, and the digits at one ordinary input; how many inputs got worse by
more than one digit, and by more than 4 bits, which should be none.
"""

import math
import pathlib
import random
import subprocess
import sys

import mpmath

mpmath.mp.dps = 400
INPUTS = 20000


def digits(computed, exact):
    if not math.isfinite(computed):
        return 0.0
    if exact == 0:
        return 16.0 if computed == 0 else 0.0
    relative = abs((mpmath.mpf(computed) - exact) / exact)
    return 16.0 if relative == 0 else max(0.0, min(16.0, float(-mpmath.log10(relative))))


def power(generator, low, high):
    return 10 ** generator.uniform(low, high)


# name, call in Rust or C, exact function, inputs, one ordinary input
ROWS = [
    (
        "statrs Exp::cdf",
        "Exp::new(a).unwrap().cdf(b)",
        lambda a, b: -mpmath.expm1(-a * b),
        lambda generator: (power(generator, -9, 3), power(generator, -9, 3)),
        (1e-9, 1.0),
    ),
    (
        "statrs Geometric::ln_pmf",
        "Geometric::new(a).unwrap().ln_pmf(b as u64)",
        lambda a, b: (b - 1) * mpmath.log1p(-a) + mpmath.log(a),
        lambda generator: (power(generator, -15, 0) * 0.999, math.floor(power(generator, 0, 15))),
        (1e-12, 1e13),
    ),
    (
        "statrs LogNormal::variance",
        "LogNormal::new(a, b).unwrap().variance().unwrap()",
        lambda a, b: mpmath.expm1(b * b) * mpmath.exp(2 * a + b * b),
        lambda generator: (generator.uniform(-20, 20), power(generator, -7, 1)),
        (0.0, 1e-6),
    ),
    (
        "GSL gsl_ran_logarithmic_pdf, k = 1",
        "gsl_ran_logarithmic_pdf(1, a)",
        lambda a: a / -mpmath.log1p(-a),
        lambda generator: (power(generator, -17, 0) * 0.999,),
        (1e-9,),
    ),
]

RUST = """use statrs::{{distribution::*, statistics::*}};
fn main() {{
    for line in std::io::stdin().lines() {{
        let v: Vec<f64> = line.unwrap().split_whitespace().map(|w| w.parse().unwrap()).collect();
        let row = v[0] as usize;
        let (a, b, c) = (v[1], v[2], v[3]);
        let _ = c;
        println!("{{:e}}", match row {{ {arms} _ => f64::NAN }});
    }}
}}
"""

C = """#include <stdio.h>
double gsl_ran_logarithmic_pdf(const unsigned int k, const double p);
double gsl_rng_uniform_pos(const void *r) { return r != 0; }
int main(void) {
    double row, a, b, c;
    while (scanf("%lf %lf %lf %lf", &row, &a, &b, &c) == 4) printf("%.17g\\n", gsl_ran_logarithmic_pdf(1, a));
}
"""


def rust_program(folder, name, source):
    """The rows in Rust, with the crate from a folder or from the registry."""
    project = folder / name
    (project / "src").mkdir(parents=True, exist_ok=True)
    arms = " ".join(f"{row} => {call}," for row, (_, call, *_) in enumerate(ROWS) if "::" in call)
    (project / "src/main.rs").write_text(RUST.format(arms=arms))
    place = f'path = "{source}"' if source else 'version = "=0.18.0"'
    (project / "Cargo.toml").write_text(
        f'[package]\nname = "{name}"\nedition = "2021"\n[dependencies]\nstatrs = {{ {place}, default-features = false }}\n[workspace]\n'
    )
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=project, check=True)
    return project / "target/release" / name


def c_program(folder, name, source):
    program, main = folder / name, folder / "main.c"
    main.write_text(C)
    subprocess.run(
        ["cc", "-O2", "-ffp-contract=off", "-DHAVE_INLINE=0", f"-I{folder}/gsl/include", source, main, "-o", program, "-lm"], check=True
    )
    return program


def run(program, row, points):
    lines = "".join(" ".join(repr(x) for x in ([row] + list(point) + [0.0, 0.0, 0.0])[:4]) + "\n" for point in points)
    output = subprocess.run([program], input=lines, capture_output=True, text=True, check=True).stdout
    return [float(word) for word in output.split()]


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    programs = {
        "rust": (rust_program(folder, "published-rust", None), rust_program(folder, "patched-rust", folder / "statrs")),
        "c": (
            c_program(folder, "published-c", folder / "source/gsl/randist/logarithmic.c"),
            c_program(folder, "patched-c", folder / "gsl/logarithmic.c"),
        ),
    }
    for row, (name, call, exact, draw, example) in enumerate(ROWS):
        generator = random.Random(1)
        points = [example] + [draw(generator) for _ in range(INPUTS)]
        before, after = (run(program, row, points) for program in programs["rust" if "::" in call else "c"])
        pairs = []
        for point, old, new in zip(points, before, after):
            truth = exact(*map(mpmath.mpf, point))
            pairs.append((digits(old, truth), digits(new, truth)))
        worse = sum(new < old - 1 for old, new in pairs)
        # 4 bits are 1.2 digits; a result that happens to be correctly rounded counts as one ulp off.
        much = sum(new < min(old, 15.65) - 1.2 for old, new in pairs)
        print(f"{name}")
        print(f"  correct digits, fewest of {INPUTS} inputs: {min(p[0] for p in pairs):.1f} -> {min(p[1] for p in pairs):.1f}")
        print(f"  at {', '.join(map(repr, example))}: {pairs[0][0]:.1f} -> {pairs[0][1]:.1f}; worse by more than a digit at {worse} inputs, by more than 4 bits at {much}")


if __name__ == "__main__":
    main()
