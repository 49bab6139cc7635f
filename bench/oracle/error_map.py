"""Error maps of ten functions of the system's libm beside published figures (make bench-map).

Published: the largest errors that glibc 2.36 lists for x86_64 (sysdeps/x86_64/fpu/libm-test-ulps, whole ulps, rounded up), and the
inputs with large errors in its math/auto-libm-test-in, most of them found by Zimmermann et al. ("Accuracy of Mathematical Functions
in Single, Double, Double Extended, and Quadruple Precision"). Measured: the error at these inputs by mpmath, and the worst error that
`lostbits search --map` finds, whose reference is MPFR.

    python3 error_map.py LOSTBITS WORKPLACE
"""

import csv
import ctypes
import ctypes.util
import io
import os
import platform
import subprocess
import sys

import mpmath as mp

# The function, glibc's figure for double in ulps, the input in glibc's tests, and the true function.
PUBLISHED = [
    ("acos", 1, "0x1.fffff3634acd6p-1", mp.acos),
    ("asin", 1, "0x1.f6041ffe89d7dp-4", mp.asin),
    ("asinh", 2, "0x1.023cfeab10a13p-2", mp.asinh),
    ("cbrt", 4, "-0x1.7cec1dab41272p-230", lambda x: mp.sign(x) * mp.cbrt(abs(x))),
    ("cosh", 2, "0x1.633c457f1e66bp+9", mp.cosh),
    ("erfc", 5, "0x1.3ffcbf39febb4p+0", mp.erfc),
    ("exp", 1, "-0x1.0c4af1ad4ee36p+9", mp.exp),
    ("log", 1, "0x1.d405118796bd8p-1", mp.log),
    ("sinh", 2, "-0x1.633c62890fa14p+9", mp.sinh),
    ("tgamma", 9, None, mp.gamma),
]


def ulps(computed, true):
    """In units in the last place of the true value."""
    unit = mp.mpf(2) ** (max(mp.frexp(true)[1], -1021) - 53)
    return float(abs(mp.mpf(computed) - true) / unit)


def main():
    lostbits, place = sys.argv[1:]
    source = os.path.join(place, "error-map.c")
    with open(source, "w") as file:
        file.write("#include <math.h>\n")
        for name, *_ in PUBLISHED:
            file.write("double system_%s(double x) { return %s(x); }\n" % (name, name))
    command = [lostbits, "search", source, "--map", "--format", "csv"]
    for name, *_ in PUBLISHED:
        command += ["--call", "system_%s(x)" % name]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit("bench-map: %s" % done.stderr)
    worst = {}
    judged = dict.fromkeys((row[0] for row in PUBLISHED), 0)
    for row in csv.DictReader(io.StringIO(done.stdout)):
        name = row["call"].split("(")[0].replace("system_", "")
        judged[name] += int(row["inputs"])
        error = float(row["worst_ulps"])
        if error >= worst.get(name, (-1.0, 0.0))[0]:
            worst[name] = (error, float(row["worst_input"]))
    libm = ctypes.CDLL(ctypes.util.find_library("m"))
    print("%s; errors in ulps\n" % " ".join(platform.libc_ver()))
    print("%-8s %12s %18s %12s %9s  at" % ("function", "glibc lists", "at its test input", "map: worst", "of inputs"))
    mp.mp.prec = 2200
    for name, listed, text, function in PUBLISHED:
        subject = getattr(libm, name)
        subject.restype, subject.argtypes = ctypes.c_double, [ctypes.c_double]
        at_input = "-"
        if text:
            x = float.fromhex(text)
            at_input = "%.3f" % ulps(subject(x), function(mp.mpf(x)))
        error, x = worst[name]
        # The map's own figure, once more without lostbits.
        again = ulps(subject(x), function(mp.mpf(x)))
        mark = "" if abs(again - error) < 0.01 * max(error, 1) else "  (mpmath: %.3f)" % again
        print("%-8s %12d %18s %12.3f %9d  %s%s" % (name, listed, at_input, error, judged[name], x.hex(), mark))


if __name__ == "__main__":
    main()
