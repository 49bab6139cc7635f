"""Judges `lostbits search` on real libraries: musl, R's nmath, the crates libm, special, statrs, and GSL (make bench-search-real).

Every reported input is judged by mpmath, which search does not use: real if the relative error exceeds 1e-3. An independent scan of
inputs at random says which functions with errors were missed.

    python3 search_real.py LOSTBITS WORKPLACE [--only NAME] [--scan POINTS]

Needs Python with mpmath and python-flint; the makefile prepares one.
"""

import argparse
import contextlib
import ctypes
import json
import os
import random
import resource
import signal
import subprocess
import sys

import mpmath as mp

sys.path.insert(0, os.path.dirname(__file__))
import gsl

BOUND = 1e-3
HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))

MUSL_ONE = {
    "sin": mp.sin, "cos": mp.cos, "tan": mp.tan, "asin": mp.asin, "acos": mp.acos, "atan": mp.atan, "sinh": mp.sinh,
    "cosh": mp.cosh, "tanh": mp.tanh, "asinh": mp.asinh, "acosh": mp.acosh, "atanh": mp.atanh, "exp": mp.exp,
    "exp2": lambda x: mp.mpf(2) ** x, "expm1": mp.expm1, "log": mp.log, "log2": lambda x: mp.log(x, 2),
    "log10": mp.log10, "log1p": mp.log1p, "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)), "erf": mp.erf, "erfc": mp.erfc,
    "tgamma": mp.gamma, "lgamma": lambda x: mp.log(abs(mp.gamma(x))) if x < 1e6 else mp.loggamma(x),
    "j0": lambda x: mp.besselj(0, x), "j1": lambda x: mp.besselj(1, x), "y0": lambda x: mp.bessely(0, x),
    "y1": lambda x: mp.bessely(1, x),
}  # fmt: skip
MUSL_TWO = {"atan2": mp.atan2, "pow": mp.power, "hypot": mp.hypot}
MUSL_OTHER = ["jn", "yn", "lgamma_r", "sincos", "fmod"]


def normal(x):
    return mp.exp(-(x**2) / 2) / mp.sqrt(2 * mp.pi)


def trigamma(x):
    return mp.polygamma(1, x)


NMATH = {
    "gammafn(x)": mp.gamma,
    "lgammafn(x)": lambda x: mp.log(abs(mp.gamma(x))) if x < 1e6 else mp.loggamma(x),
    "digamma(x)": mp.digamma,
    "trigamma(x)": trigamma,
    "tetragamma(x)": lambda x: mp.polygamma(2, x),
    "pentagamma(x)": lambda x: mp.polygamma(3, x),
    "cospi(x)": mp.cospi,
    "sinpi(x)": mp.sinpi,
    "log1pmx(x)": lambda x: mp.log1p(x) - x,
    "lgamma1p(x)": lambda x: mp.log(abs(mp.gamma(1 + x))),
    "log1pexp(x)": lambda x: mp.log1p(mp.exp(x)),
    "beta(x, 2.5)": lambda x: mp.beta(x, mp.mpf(2.5)),
    "lbeta(x, 2.5)": lambda x: mp.log(abs(mp.beta(x, mp.mpf(2.5)))),
    "dnorm4(x, 0.0, 1.0, 0)": normal,
    "pnorm5(x, 0.0, 1.0, 1, 0)": lambda x: mp.erfc(-x / mp.sqrt(2)) / 2,
    "pnorm5(x, 0.0, 1.0, 0, 0)": lambda x: mp.erfc(x / mp.sqrt(2)) / 2,
    "dcauchy(x, 0.0, 1.0, 0)": lambda x: 1 / (mp.pi * (1 + x**2)),
    "pcauchy(x, 0.0, 1.0, 1, 0)": lambda x: mp.atan2(1, -x) / mp.pi,
    "dlogis(x, 0.0, 1.0, 0)": lambda x: 1 / (4 * mp.cosh(x / 2) ** 2),
    "plogis(x, 0.0, 1.0, 1, 0)": lambda x: 1 / (1 + mp.exp(-x)),
    "qlogis(x, 0.0, 1.0, 1, 0)": lambda x: mp.log(x / (1 - x)),
    "dexp(x, 1.0, 0)": lambda x: mp.exp(-x) if x >= 0 else mp.mpf(0),
    "pexp(x, 1.0, 1, 0)": lambda x: -mp.expm1(-x) if x >= 0 else mp.mpf(0),
    "dt(x, 3.0, 0)": lambda x: 2 / (mp.pi * mp.sqrt(3) * (1 + x**2 / 3) ** 2),
    "bessel_j(x, 0.5)": lambda x: mp.besselj(0.5, x),
    "bessel_y(x, 0.5)": lambda x: mp.bessely(0.5, x),
    "bessel_i(x, 0.5, 1.0)": lambda x: mp.besseli(0.5, x),
    "bessel_k(x, 0.5, 1.0)": lambda x: mp.besselk(0.5, x),
}


class Late(Exception):
    pass


def on_alarm(*_):
    raise Late


def true_value(function, inputs, seconds):
    """At two precisions that agree; None where mpmath does not know it."""
    extra = min(sum(abs(mp.frexp(x)[1]) for x in inputs if x), 3000)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        values = []
        for bits in (160 + extra, 320 + 2 * extra):
            with mp.workprec(bits):
                value = function(*[mp.mpf(x) for x in inputs])
                # Outside its real domain a function has no right result.
                if mp.im(value) != 0:
                    return None
                values.append(mp.mpf(mp.re(value)))
        a, b = values
        if mp.isnan(b) or mp.isinf(b) or abs(a - b) > abs(b) * mp.mpf(2) ** -60:
            return None
        return b
    except Late:
        return None
    except Exception:
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def error_of(computed, true, least):
    if abs(true) < least and abs(computed) < 2 * least:
        return 0.0
    if true == 0:
        return float("inf") if computed else 0.0
    with mp.workprec(200):
        return float(abs((mp.mpf(computed) - true) / true))


def run(command, codes=(0,), **more):
    done = subprocess.run(command, shell=isinstance(command, str), capture_output=True, text=True, **more)
    if done.returncode not in codes:
        sys.exit("bench-search-real: %s\n%s" % (command, done.stderr[-3000:]))
    return done.stdout


def built(lostbits, mode, options, output):
    """Compiles a shared library for a mode, or plainly; once."""
    if not os.path.exists(output):
        compiler = [lostbits, "cc", "--lostbits-mode=" + mode] if mode else ["clang-22"]
        run(compiler + ["-O2", "-g", "-fPIC", "-shared", "-w"] + options + ["-lm", "-o", output])
    return output


def source(package, place):
    folder = os.path.join(place, "sources", package)
    run([os.path.join(REPOSITORY, "scripts/debian-source.sh"), package, folder])
    return folder


def musl_sources(place):
    """musl's tree, the options that compile its mathematics under names of their own, and its files."""
    tree = source("musl", place)
    if not os.path.exists(tree + "/obj/include/bits/alltypes.h"):
        run("./configure --disable-shared && make obj/include/bits/alltypes.h obj/include/bits/syscall.h", cwd=tree)
    folder = tree + "/src/math/"
    skipped = ("remquo.c", "exp10.c", "exp10f.c", "exp10l.c")
    files = [
        folder + name
        for name in sorted(os.listdir(folder))
        if name.endswith(".c") and name not in skipped and not name.startswith(("nan", "nexttoward"))
        and (not name.endswith("l.c") or name in ("ceil.c",) or name.startswith("__"))
    ]  # fmt: skip
    names = list(MUSL_ONE) + list(MUSL_TWO) + MUSL_OTHER
    names += [name + "f" for name in names] + ["signgam"]
    options = ["-D%s=musl_%s" % (name, name) for name in names]
    options += ["-std=c99", "-nostdinc", "-D_XOPEN_SOURCE=700", "-fno-builtin", "-ffreestanding"]
    headers = ["arch/x86_64", "arch/generic", "src/include", "src/internal", "obj/include", "include"]
    options += ["-I%s/%s" % (tree, header) for header in headers]
    return tree, options, files


def musl(lostbits, place):
    _, options, files = musl_sources(place)
    options += files
    libraries = [built(lostbits, mode, options, place + "/real-musl%s.so" % mode) for mode in ("search", "")]
    calls = []
    for name, function in MUSL_ONE.items():
        calls.append(("musl_%s(x)" % name, function, ctypes.c_double))
        calls.append(("musl_%sf(x)" % name, function, ctypes.c_float))
    for name, function in MUSL_TWO.items():
        calls.append(("musl_%s(x, y)" % name, function, ctypes.c_double))
        calls.append(("musl_%sf(x, y)" % name, function, ctypes.c_float))
    calls.append(("musl_jn(2, x)", lambda x: mp.besselj(2, x), ctypes.c_double))
    calls.append(("musl_yn(2, x)", lambda x: mp.bessely(2, x), ctypes.c_double))
    return libraries, calls, []


CONFIG = """#define IEEE_754 1
#define HAVE_EXPM1 1
#define HAVE_LOG1P 1
#define HAVE_WORKING_LOG1P 1
#define HAVE_HYPOT 1
#define HAVE_LONG_DOUBLE 1
#define SIZEOF_LONG_DOUBLE 16
#define HAVE_LONG_DOUBLE_ARITH 1
"""


def nmath(lostbits, place):
    tree = source("r-base", place)
    headers = place + "/nmath-headers"
    os.makedirs(headers + "/R_ext", exist_ok=True)
    with open(tree + "/src/include/Rmath.h0.in") as file:
        text = file.read().replace("@RMATH_HAVE_LOG1P@", "# define HAVE_LOG1P 1")
    with open(headers + "/Rmath.h", "w") as file:
        file.write(text)
    with open(headers + "/config.h", "w") as file:
        file.write(CONFIG)
    with open(headers + "/Rconfig.h", "w") as file:
        file.write("#define HAVE_F77_UNDERSCORE 1\n")
    folder = tree + "/src/nmath/"
    left_out = ("wilcox.c", "signrank.c")
    files = [folder + name for name in sorted(os.listdir(folder)) if name.endswith(".c") and name not in left_out]
    files.append(folder + "standalone/sunif.c")
    options = ["-DMATHLIB_STANDALONE", "-DHAVE_CONFIG_H", "-I" + headers, "-I" + folder, "-I" + tree + "/src/include"]
    options += files
    libraries = [built(lostbits, mode, options, place + "/real-nmath%s.so" % mode) for mode in ("search", "")]
    return libraries, [(call, function, ctypes.c_double) for call, function in NMATH.items()], []


def gamma_p(a, x):
    return mp.gammainc(a, 0, x, regularized=True)


def gamma_q(a, x):
    return mp.gammainc(a, x, mp.inf, regularized=True)


def beta_of(x, y):
    return mp.gamma(x) * mp.gamma(y) / mp.gamma(x + y)


def log_gamma(x):
    return mp.log(abs(mp.gamma(x))) if x < 1e6 else mp.loggamma(x)


HALF = mp.mpf(5) / 2
# The call, the Rust expression behind it, and the true function.
SPECIAL = [
    ("special_gamma(x)", "special::Gamma::gamma(x)", mp.gamma),
    ("special_ln_gamma(x)", "special::Gamma::ln_gamma(x).0", log_gamma),
    ("special_digamma(x)", "special::Gamma::digamma(x)", mp.digamma),
    ("special_trigamma(x)", "special::Gamma::trigamma(&x)", trigamma),
    ("special_inc_gamma(x)", "special::Gamma::inc_gamma(x, 2.5)", lambda x: gamma_p(HALF, x)),
    ("special_error(x)", "special::Error::error(x)", mp.erf),
    ("special_compl_error(x)", "special::Error::compl_error(x)", mp.erfc),
    ("special_inv_error(x)", "special::Error::inv_error(x)", mp.erfinv),
    ("special_ln_beta(x)", "special::Beta::ln_beta(x, 2.5)", lambda x: mp.log(abs(beta_of(x, HALF)))),
]
STATRS = [
    ("statrs_gamma(x)", "statrs::function::gamma::gamma(x)", mp.gamma),
    ("statrs_ln_gamma(x)", "statrs::function::gamma::ln_gamma(x)", log_gamma),
    ("statrs_digamma(x)", "statrs::function::gamma::digamma(x)", mp.digamma),
    ("statrs_gamma_lr(x)", "statrs::function::gamma::gamma_lr(2.5, x)", lambda x: gamma_p(HALF, x)),
    ("statrs_gamma_ur(x)", "statrs::function::gamma::gamma_ur(2.5, x)", lambda x: gamma_q(HALF, x)),
    ("statrs_erf(x)", "statrs::function::erf::erf(x)", mp.erf),
    ("statrs_erfc(x)", "statrs::function::erf::erfc(x)", mp.erfc),
    ("statrs_erf_inv(x)", "statrs::function::erf::erf_inv(x)", mp.erfinv),
    ("statrs_erfc_inv(x)", "statrs::function::erf::erfc_inv(x)", lambda x: mp.erfinv(1 - x)),
    ("statrs_beta(x)", "statrs::function::beta::beta(x, 2.5)", lambda x: beta_of(x, HALF)),
    ("statrs_ln_beta(x)", "statrs::function::beta::ln_beta(x, 2.5)", lambda x: mp.log(beta_of(x, HALF))),
    ("statrs_beta_reg(x)", "statrs::function::beta::beta_reg(2.5, 3.5, x)",
     lambda x: mp.betainc(HALF, HALF + 1, 0, x, regularized=True)),
    ("statrs_logistic(x)", "statrs::function::logistic::logistic(x)", lambda x: 1 / (1 + mp.exp(-x))),
    ("statrs_logit(x)", "statrs::function::logistic::logit(x)", lambda x: mp.log(x / (1 - x))),
]  # fmt: skip
MANIFEST = """[package]
name = "real"
version = "0.1.0"
edition = "2021"
[lib]
crate-type = ["cdylib"]
[dependencies]
libm = "0.2"
special = "0.14"
statrs = { version = "0.18", default-features = false }
[profile.release]
debug = true
[workspace]
"""


def libm_calls():
    """The call, the Rust expression behind it, the true function, and the format."""
    formats = (("f64", "", ctypes.c_double), ("f32", "f", ctypes.c_float))
    for kind, suffix, ctype in formats:
        for name, function in list(MUSL_ONE.items()) + [("exp10", lambda x: mp.mpf(10) ** x)]:
            yield "libm_%s%s(x)" % (name, suffix), "libm::%s%s(x)" % (name, suffix), function, kind, ctype
        for name, function in MUSL_TWO.items():
            yield "libm_%s%s(x, y)" % (name, suffix), "libm::%s%s(x, y)" % (name, suffix), function, kind, ctype


def rust(lostbits, place):
    """Rust's crates libm, special and statrs behind functions that C can call."""
    folder = place + "/real-rust"
    os.makedirs(folder + "/src", exist_ok=True)
    rows = list(libm_calls()) + [(*row, "f64", ctypes.c_double) for row in SPECIAL + STATRS]
    with open(folder + "/Cargo.toml", "w") as file:
        file.write(MANIFEST)
    with open(folder + "/src/lib.rs", "w") as file:
        for call, expression, _, kind, _ in rows:
            typed = call.split("(")[0] + "(" + ", ".join(
                "%s: %s" % (name.strip(), kind) for name in call[:-1].split("(")[1].split(",")) + ")"  # fmt: skip
            # A panic, by which some say that an argument is outside the domain, is no number.
            file.write("#[no_mangle]\npub extern \"C\" fn %s -> %s { std::panic::catch_unwind(|| %s).unwrap_or(%s::NAN) }\n" % (
                typed, kind, expression, kind))  # fmt: skip
    libraries = []
    for mode in ("search", ""):
        target = folder + "/target-" + (mode or "plain")
        environment = dict(os.environ, CARGO_TARGET_DIR=target)
        if mode:
            environment.update(RUSTC_WRAPPER=lostbits + "-rustc", LOSTBITS_MODE=mode)
        run(["cargo", "build", "--quiet", "--release"], cwd=folder, env=environment)
        libraries.append(target + "/release/libreal.so")
    return libraries, [(call, function, ctype) for call, _, function, _, ctype in rows], []


def gsl_library(lostbits, place):
    searched = place + "/search/gsl/libgsl-search.so"
    if not os.path.exists(searched):
        sys.exit("bench-search-real: build GSL first: make bench-gsl")
    with open(REPOSITORY + "/bench/calls/gsl-one.txt") as file:
        lines = [line.strip() for line in file if line.strip()]
    calls = [(line, gsl.FUNCTIONS.get(line.split("(")[0].replace("gsl_sf_", "")), ctypes.c_double) for line in lines]
    return [searched, searched], calls, ["--init", "gsl_set_error_handler_off"]


def search(lostbits, library, calls, flags, place):
    listed = place + "/real-calls.txt"
    with open(listed, "w") as file:
        file.write("\n".join(call for call, _, _ in calls) + "\n")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [lostbits, "search", "--library", library, "--calls", listed, "--format", "json"] + flags
    environment = dict(os.environ, LOSTBITS_PYTHON=sys.executable)
    report = json.loads(run(command, codes=(0, 1), env=environment))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return report["calls"], seconds


def least_of(kind):
    return 2.0**-126 if kind is ctypes.c_float else 2.0**-1022


@contextlib.contextmanager
def silenced():
    """What libraries print, such as R's warnings and Rust's panics, is not part of the report."""
    sys.stdout.flush()
    kept = [os.dup(1), os.dup(2)]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        yield
    finally:
        ctypes.CDLL(None).fflush(None)
        os.dup2(kept[0], 1)
        os.dup2(kept[1], 2)
        for one in kept + [nowhere]:
            os.close(one)


def scanned(library, call, function, kind, points):
    """The worst error of a function of one input at random, by the plain library; None if it cannot be called."""
    name, arguments = call[:-1].split("(")
    words = [word.strip() for word in arguments.split(",")]
    if words.count("x") != 1 or "y" in words:
        return None
    subject = getattr(library, name)
    subject.restype = kind
    number = lambda word: int(word) if "." not in word else ctypes.c_double(float(word))
    rng = random.Random(1)
    worst = 0.0
    for index in range(points):
        size = rng.uniform(-10, 10) if index % 2 else rng.uniform(-60, 60)
        x = rng.choice((-1, 1)) * 2.0**size
        x = ctypes.c_float(x).value if kind is ctypes.c_float else x
        computed = subject(*[kind(x) if word == "x" else number(word) for word in words])
        if computed != computed or abs(computed) == float("inf"):
            continue
        true = true_value(function, [x], 0.2)
        if true is not None:
            worst = max(worst, error_of(computed, true, least_of(kind)))
    return worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lostbits")
    parser.add_argument("place")
    parser.add_argument("--only")
    parser.add_argument("--scan", type=int, default=100)
    options = parser.parse_args()
    signal.signal(signal.SIGALRM, on_alarm)
    # Before Rust's library is loaded.
    os.environ["RUST_BACKTRACE"] = "0"
    subjects = {"musl": musl, "nmath": nmath, "rust": rust, "gsl": gsl_library}
    print("%-8s %9s %9s %6s %6s %11s %13s %7s %7s" % (
        "library", "functions", "reported", "real", "false", "not judged", "first real", "missed", "CPU s"))  # fmt: skip
    totals = [0] * 8
    seconds_of_all = 0.0
    for name, prepare in subjects.items():
        if options.only and options.only != name:
            continue
        (searched, plain), calls, flags = prepare(options.lostbits, options.place)
        reports, seconds = search(options.lostbits, searched, calls, flags, options.place)
        library = ctypes.CDLL(plain)
        if name == "gsl":
            library.gsl_set_error_handler_off()
        counts = dict.fromkeys(("reported", "real", "false", "unknown", "first", "found", "missed"), 0)
        notes = []
        for report, (call, function, kind) in zip(reports, calls):
            verdicts = []
            for finding in report["findings"]:
                inputs = [float.fromhex(one["hexadecimal"]) for one in finding["input"]]
                computed = float.fromhex(finding["computed"]["hexadecimal"])
                true = true_value(function, inputs, 20) if function else None
                error = None if true is None else error_of(computed, true, least_of(kind))
                verdicts.append(None if error is None else error > BOUND)
                if error is not None and error <= BOUND:
                    notes.append("  false: %s at %s: error %.1e" % (call, inputs, error))
            counts["reported"] += len(verdicts)
            counts["real"] += verdicts.count(True)
            counts["false"] += verdicts.count(False)
            counts["unknown"] += verdicts.count(None)
            known = [one for one in verdicts if one is not None]
            if known:
                counts["found"] += 1
                counts["first"] += known[0]
            if library is not None and function and True not in verdicts:
                with silenced():
                    worst = scanned(library, call, function, kind, options.scan)
                if worst is not None and worst > BOUND:
                    counts["missed"] += 1
                    notes.append("  missed: %s has an error of %.1e" % (call, worst))
        row = [len(calls), counts["reported"], counts["real"], counts["false"], counts["unknown"], counts["first"],
               counts["found"], counts["missed"]]  # fmt: skip
        totals = [a + b for a, b in zip(totals, row)]
        seconds_of_all += seconds
        print_row(name, row, seconds)
        print("\n".join(notes), end="\n" if notes else "")
    print_row("all", totals, seconds_of_all)
    share = lambda part, whole: 100.0 * part / max(whole, 1)
    print("\nof the judged inputs %.2f %% are real; first-ranked real for %.2f %% of the functions with findings" % (
        share(totals[2], totals[2] + totals[3]), share(totals[5], totals[6])))  # fmt: skip
    print("%.3f CPU seconds a function, references included" % (seconds_of_all / max(totals[0], 1)))


def print_row(name, row, seconds):
    first = "%d of %d" % (row[5], row[6])
    print("%-8s %9d %9d %6d %6d %11d %13s %7d %7.1f" % (name, *row[:5], first, row[7], seconds), flush=True)


if __name__ == "__main__":
    main()
