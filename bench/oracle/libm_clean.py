"""Is correct libm code clean? Runs `lostbits explain` and `lostbits watch` on musl's libm and Rust's `libm` (make bench-libm).

Each function gets inputs at which its result is correct to one unit in the last place, by mpmath. So every cause that explain
names, and every decision that watch flags, is false. The code is full of what means something else in exact arithmetic: reductions by
split constants and by the digits of 2/pi, roundings by 1.5*2^52, table look-ups by bits, exponents built as integers.

    python3 libm_clean.py LOSTBITS WORKPLACE [--only NAME] [--inputs COUNT] [--function NAME]
"""

import argparse
import ctypes
import json
import os
import random
import signal
import subprocess
import sys

import mpmath as mp

sys.path.insert(0, os.path.dirname(__file__))
import search_real as real

ONE = dict(real.MUSL_ONE, exp10=lambda x: mp.mpf(10) ** x)
TWO = dict(real.MUSL_TWO, fmod=lambda x, y: x - y * mp.sign(x) * mp.sign(y) * mp.floor(abs(x / y)))
# For arguments between.
RANGES = {
    "asin": (-1, 1), "acos": (-1, 1), "atanh": (-1, 1), "exp": (-700, 700), "exp2": (-1000, 1000), "exp10": (-300, 300),
    "expm1": (-50, 700), "sinh": (-700, 700), "cosh": (-700, 700), "tgamma": (-20, 170), "erf": (-6, 6), "erfc": (-6, 26),
    "log": (0, 1e3), "log2": (0, 1e3), "log10": (0, 1e3), "log1p": (-1, 1e3), "acosh": (1, 1e3), "lgamma": (0, 1e3),
    "j0": (0, 50), "j1": (0, 50), "y0": (0, 50), "y1": (0, 50), "pow": (0, 50),
}  # fmt: skip
POSITIVE = ("log", "log2", "log10", "y0", "y1", "acosh", "pow")


def drawn(name, width, is_float, rng):
    """Everyday numbers, numbers of all sizes, and neighbours of multiples of pi/2, of integers and of powers of two."""
    low, high = RANGES.get(name, (-100, 100))
    sizes = (-60, 60) if is_float else (-300, 300)
    kinds = [
        lambda: rng.uniform(low, high),
        lambda: rng.choice((-1, 1)) * 2.0 ** rng.uniform(*sizes),
        lambda: rng.choice((-1, 1)) * 2.0 ** rng.uniform(-12, 12),
        lambda: rng.randint(1, 1000) * 1.5707963267948966 * (1 + rng.choice((0, 2.0**-50, -(2.0**-40), 2.0**-20))),
        lambda: rng.randint(-20, 20) + rng.choice((0, 2.0**-40, -(2.0**-30), 0.5)),
        lambda: 2.0 ** rng.randint(-30, 30) * (1 + rng.choice((0, 2.0**-50, -(2.0**-50)))),
    ]  # fmt: skip
    values = [rng.choice(kinds)() for _ in range(width)]
    if name in POSITIVE:
        values[0] = abs(values[0])
    return [ctypes.c_float(x).value if is_float else float(x) for x in values]


def ulps(computed, true, is_float):
    digits, least = (24, -149) if is_float else (53, -1074)
    with mp.workprec(200):
        exponent = max(mp.frexp(true)[1] - digits, least) if true else least
        return float(abs(mp.mpf(computed) - true) / mp.mpf(2) ** exponent)


def inputs_of(library, symbol, name, function, width, is_float, count):
    """Inputs at which a function's result is correct to one ulp, with how many were not."""
    kind = ctypes.c_float if is_float else ctypes.c_double
    subject = getattr(library, symbol)
    subject.restype, subject.argtypes = kind, [kind] * width
    rng = random.Random(name)
    good, others = [], 0
    for _ in range(40 * count):
        if len(good) == count:
            break
        values = drawn(name, width, is_float, rng)
        computed = subject(*values)
        if computed != computed or abs(computed) == float("inf"):
            continue
        # Below the normal numbers there is no full precision.
        if abs(computed) < (2.0**-126 if is_float else 2.0**-1022):
            continue
        true = real.true_value(function, values, 1)
        if true is None:
            continue
        if ulps(computed, true, is_float) <= 1:
            good.append(values)
        else:
            others += 1
    return good, others


DRIVER = """#include <stdio.h>
#include <string.h>
%s
int main(int count, char **words) {
  double x, y;
  %s
  return 2;
}
"""
LOOP_C = """if (!strcmp(words[1], "%s")) { while (scanf("%%la%s", &x%s) == %d) printf("%%.17g\\n", (double)%s(%s)); return 0; }
  """


def driver_c(functions):
    declared, loops = "", ""
    for symbol, width, is_float in functions:
        kind = "float" if is_float else "double"
        declared += "%s %s(%s);\n" % (kind, symbol, ", ".join([kind] * width))
        loops += LOOP_C % (symbol, " %la" * (width - 1), ", &y" * (width - 1), width, symbol, ", ".join("xy"[:width]))
    return DRIVER % (declared, loops)


def musl(lostbits, place):
    tree, options, files = real.musl_sources(place)
    functions = [("musl_" + name + suffix, name, function, width, suffix == "f")
                 for table, width in ((ONE, 1), (TWO, 2)) for name, function in table.items() for suffix in ("", "f")
                 if name != "exp10"]  # fmt: skip
    plain = real.built(lostbits, "", options + files, place + "/libm-musl-plain.so")
    source = place + "/libm-musl.c"
    with open(source, "w") as file:
        file.write(driver_c([(symbol, width, is_float) for symbol, _, _, width, is_float in functions]))
    programs = {}
    for mode in ("explain", "watch"):
        objects, folder = [], place + "/libm-musl-" + mode
        os.makedirs(folder, exist_ok=True)
        programs[mode] = folder + "/driver"
        if not os.path.exists(programs[mode]):
            compiler = [lostbits, "cc", "--lostbits-mode=" + mode, "-O2", "-g", "-w", "-c"]
            real.run(compiler + options + files, cwd=folder)
            objects = [folder + "/" + os.path.basename(name)[:-2] + ".o" for name in files]
            real.run([lostbits, "cc", "--lostbits-mode=" + mode, "-O2", "-g", "-w", source] + objects
                     + ["-lm", "-o", programs[mode]])  # fmt: skip
    return programs, ctypes.CDLL(plain), functions


MANIFEST = """[package]
name = "driver"
version = "0.1.0"
edition = "2021"
[lib]
crate-type = ["cdylib"]
[[bin]]
name = "driver"
path = "src/main.rs"
[dependencies]
libm = "0.2"
[profile.release]
debug = true
[workspace]
"""


def rust(lostbits, place):
    folder = place + "/libm-rust"
    os.makedirs(folder + "/src", exist_ok=True)
    functions = [("libm_" + name + suffix, name, function, width, suffix == "f")
                 for table, width in ((ONE, 1), (TWO, 2)) for name, function in table.items() for suffix in ("", "f")]  # fmt: skip
    library = ""
    program = "use std::io::BufRead;\nfn main() {\n    let name = std::env::args().nth(1).unwrap();\n"
    program += "    for line in std::io::stdin().lock().lines() {\n        let line = line.unwrap();\n"
    program += "        let n: Vec<f64> = line.split(' ').map(|word| f64::from_bits(u64::from_str_radix(word, 16).unwrap())).collect();\n"
    program += "        match name.as_str() {\n"
    for symbol, name, _, width, is_float in functions:
        kind, suffix = ("f32", "f") if is_float else ("f64", "")
        names = "xy"[:width]
        library += "#[no_mangle]\npub extern \"C\" fn %s(%s) -> %s { libm::%s%s(%s) }\n" % (
            symbol, ", ".join("%s: %s" % (one, kind) for one in names), kind, name, suffix, ", ".join(names))  # fmt: skip
        program += "            \"%s\" => println!(\"{:.17e}\", libm::%s%s(%s)),\n" % (
            symbol, name, suffix, ", ".join("n[%d] as %s" % (at, kind) for at in range(width)))  # fmt: skip
    program += "            _ => std::process::exit(2),\n        }\n    }\n}\n"
    for name, text in (("Cargo.toml", MANIFEST), ("src/lib.rs", library), ("src/main.rs", program)):
        with open(folder + "/" + name, "w") as file:
            file.write(text)
    programs = {}
    for mode in ("explain", "watch", ""):
        target = folder + "/target-" + (mode or "plain")
        environment = dict(os.environ, CARGO_TARGET_DIR=target)
        if mode:
            environment.update(RUSTC_WRAPPER=lostbits + "-rustc", LOSTBITS_MODE=mode)
        part = ["--bin", "driver"] if mode else ["--lib"]
        real.run(["cargo", "build", "--quiet", "--release"] + part, cwd=folder, env=environment)
        programs[mode] = target + "/release/driver"
    return programs, ctypes.CDLL(folder + "/target-plain/release/libdriver.so"), functions


def text_of(values, is_rust):
    if is_rust:
        bits = lambda x: "%016x" % ctypes.c_uint64.from_buffer(ctypes.c_double(x)).value
        return " ".join(bits(x) for x in values)
    return " ".join(float.hex(x) for x in values)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lostbits")
    parser.add_argument("place")
    parser.add_argument("--only")
    parser.add_argument("--function")
    parser.add_argument("--inputs", type=int, default=200)
    options = parser.parse_args()
    signal.signal(signal.SIGALRM, real.on_alarm)
    totals = dict.fromkeys(("functions", "inputs", "explain", "undecided", "watch"), 0)
    for name, prepare in {"musl": musl, "rust": rust}.items():
        if options.only and options.only != name:
            continue
        programs, library, functions = prepare(options.lostbits, options.place)
        for symbol, plain_name, function, width, is_float in functions:
            if options.function and options.function != symbol:
                continue
            good, others = inputs_of(library, symbol, plain_name, function, width, is_float, options.inputs)
            given = "\n".join(text_of(values, name == "rust") for values in good) + "\n"
            report = analysed(options, "explain", programs["explain"], symbol, given)
            watched = analysed(options, "watch", programs["watch"], symbol, given)
            causes, undecided = len(report["findings"]), report["checked"]["outputs"].get("undecided", 0)
            flagged = len(watched["findings"])
            totals["functions"] += 1
            totals["inputs"] += len(good)
            totals["explain"] += causes
            totals["undecided"] += undecided
            totals["watch"] += flagged
            print("%-16s %4d inputs (%d others not to an ulp): %d causes, %s, %d undecided; watch %d" % (
                symbol, len(good), others, causes, report["verdict"], undecided, flagged), flush=True)  # fmt: skip
            for finding in report["findings"]:
                print("    explain: " + summary(finding))
            for finding in watched["findings"]:
                print("    watch: " + summary(finding))
    print("\n%(functions)d functions, %(inputs)d inputs correct to an ulp: %(explain)d false causes (explain; %(undecided)d outputs "
          "undecided), %(watch)d false decisions (watch)" % totals)  # fmt: skip


def analysed(options, command, program, symbol, given):
    """The report of lostbits on a run of the driver."""
    path = options.place + "/libm-report.json"
    words = [options.lostbits, command, "--format", "json", "--report", path, program, "--", symbol]
    done = subprocess.run(words, input=given, capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        sys.exit("bench-libm: %s\n%s" % (words, done.stderr[-3000:]))
    with open(path) as file:
        return json.load(file)


def summary(finding):
    return json.dumps(finding)[:300]


if __name__ == "__main__":
    main()
