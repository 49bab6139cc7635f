"""Values of mathematical functions with proved error bounds, by Arb (python-flint).

Reads one JSON list a line: [expression, input, ...]; inputs are hexadecimal floats. Answers a decimal number, or
"undefined", or "unknown". A question that takes too long ends the process; lostbits starts another one.
"""

import json
import resource
import signal
import sys

from flint import acb, arb, ctx, fmpq

SECONDS = 0.5
PRECISIONS = (160, 320, 640, 1280, 2560)
BITS = 64


class Undefined(Exception):
    pass


def real(value):
    """A complex function of real operands, where its value is real."""
    if not value.imag.contains(0):
        raise Undefined
    return value.real


def digits(value):
    mid = value.mid()
    man, exp = mid.man_exp()
    return "%d/%d" % (int(man), int(exp))


def polylog(s, x):
    return real(acb(x).polylog(acb(s)))


def log_gamma(x):
    """ln |gamma(x)|; by the reflection formula where x is negative."""
    if x > 0:
        return x.lgamma()
    return (arb.pi() / abs(x.sin_pi())).log() - (1 - x).lgamma()


def regular_lower(a, x):
    return x.gamma_lower(a, regularized=1)


def regular_upper(a, x):
    return x.gamma_upper(a, regularized=1)


def clausen(x):
    return (acb(0, x)).exp().polylog(2).imag


def bessel_real(function):
    """Of a negative argument the order must be whole: then the value is real."""
    return lambda nu, x: real(function(acb(x), acb(nu)))


def struve(nu, x):
    """By its series, which ends late for large x: then its value is unknown."""
    half = arb(1) / 2
    series = acb(-x * x / 4).hypgeom([acb(1)], [acb(1 + half), acb(nu + 1 + half)])
    return real(acb(x / 2) ** acb(nu + 1) * series) * (nu + 1 + half).rgamma() / (1 + half).gamma()


SPECIAL = {
    "digamma": lambda x: x.digamma(),
    "zeta": lambda x: x.zeta(),
    "eta": lambda x: real(acb(x).dirichlet_eta()),
    "besselj": bessel_real(acb.bessel_j),
    "bessely": lambda nu, x: x.bessel_y(nu),
    "besseli": bessel_real(acb.bessel_i),
    "besselk": lambda nu, x: x.bessel_k(nu),
    "airyai": lambda x: x.airy_ai(),
    "airybi": lambda x: x.airy_bi(),
    "airyaiprime": lambda x: x.airy_ai(derivative=1),
    "airybiprime": lambda x: x.airy_bi(derivative=1),
    "ei": lambda x: x.ei(),
    "e1": lambda x: -(-x).ei(),
    "si": lambda x: x.si(),
    "ci": lambda x: x.ci(),
    "shi": lambda x: x.shi(),
    "chi": lambda x: x.chi(),
    # By convention the real part, beyond 1 too.
    "dilog": lambda x: acb(x).polylog(2).real,
    "polylog": polylog,
    "agm": lambda x, y: x.agm(y),
    "beta": lambda a, b: a.gamma() * b.gamma() * (a + b).rgamma(),
    "lbeta": lambda a, b: log_gamma(a) + log_gamma(b) - log_gamma(a + b),
    "rgamma": lambda x: x.rgamma(),
    "gammaupper": lambda a, x: x.gamma_upper(a),
    "gammalower": lambda a, x: x.gamma_lower(a),
    "gammap": regular_lower,
    "gammaq": regular_upper,
    "betainc": lambda a, b, x: x.beta_lower(a, b, regularized=1),
    "polygamma": lambda n, x: real(acb(x).polygamma(acb(n))),
    "hurwitz": lambda s, a: s.zeta(a),
    "lambertw": lambda x: x.lambertw(),
    "lambertwm1": lambda x: x.lambertw(branch=-1),
    "erfi": lambda x: x.erfi(),
    "erfinv": lambda x: x.erfinv(),
    "erfcinv": lambda x: x.erfcinv(),
    "ellipk": lambda m: real(acb(m).elliptic_k()),
    "ellipe": lambda m: real(acb(m).elliptic_e()),
    "ellipf": lambda phi, m: real(acb.elliptic_f(acb(phi), acb(m))),
    "ellipeinc": lambda phi, m: real(acb.elliptic_e_inc(acb(phi), acb(m))),
    "ellippi": lambda n, phi, m: real(acb.elliptic_pi_inc(acb(n), acb(phi), acb(m))),
    "carlsonrf": lambda x, y, z: real(acb.elliptic_rf(acb(x), acb(y), acb(z))),
    "carlsonrd": lambda x, y, z: real(acb.elliptic_rd(acb(x), acb(y), acb(z))),
    "carlsonrc": lambda x, y: real(acb.elliptic_rc(acb(x), acb(y))),
    "carlsonrj": lambda x, y, z, p: real(acb.elliptic_rj(acb(x), acb(y), acb(z), acb(p))),
    "clausen": clausen,
    "legendrep": lambda n, x: x.legendre_p(n),
    "legendreq": lambda n, x: x.legendre_q(n),
    "hermite": lambda n, x: x.hermite_h(n),
    "laguerre": lambda n, a, x: x.laguerre_l(n, a),
    "gegenbauer": lambda n, m, x: x.gegenbauer_c(n, m),
    "chebyshevt": lambda n, x: x.chebyshev_t(n),
    "hyp0f1": lambda a, x: x.hypgeom_0f1(a),
    "hyp1f1": lambda a, b, x: x.hypgeom_1f1(a, b),
    "hyp2f1": lambda a, b, c, x: x.hypgeom_2f1(a, b, c),
    "hypu": lambda a, b, x: x.hypgeom_u(a, b),
    "fresnels": lambda x: x.fresnel_s(),
    "fresnelc": lambda x: x.fresnel_c(),
    "repsi1i": lambda x: acb(1, x).digamma().real,
    "struveh": struve,
}

OPERATIONS = {
    "+": lambda x, y: x + y,
    "-": lambda x, y=None: -x if y is None else x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
    "pow": lambda x, y: x**y,
    "fabs": abs,
    "sqrt": lambda x: x.sqrt(),
    "cbrt": lambda x: x.root(3) if x > 0 else -((-x).root(3)),
    "hypot": lambda x, y: (x * x + y * y).sqrt(),
    "exp": lambda x: x.exp(),
    "exp2": lambda x: arb(2) ** x,
    "exp10": lambda x: arb(10) ** x,
    "expm1": lambda x: x.expm1(),
    "log": lambda x: x.log(),
    "log2": lambda x: x.log_base(2),
    "log10": lambda x: x.log_base(10),
    "log1p": lambda x: x.log1p(),
    "sin": lambda x: x.sin(),
    "cos": lambda x: x.cos(),
    "tan": lambda x: x.tan(),
    "sinpi": lambda x: x.sin_pi(),
    "cospi": lambda x: x.cos_pi(),
    "tanpi": lambda x: x.tan_pi(),
    "asin": lambda x: x.asin(),
    "acos": lambda x: x.acos(),
    "atan": lambda x: x.atan(),
    "atan2": lambda y, x: arb.atan2(y, x),
    "sinh": lambda x: x.sinh(),
    "cosh": lambda x: x.cosh(),
    "tanh": lambda x: x.tanh(),
    "asinh": lambda x: x.asinh(),
    "acosh": lambda x: x.acosh(),
    "atanh": lambda x: x.atanh(),
    "erf": lambda x: x.erf(),
    "erfc": lambda x: x.erfc(),
    "tgamma": lambda x: x.gamma(),
    "lgamma": log_gamma,
    "fmin": lambda x, y: x.min(y),
    "fmax": lambda x, y: x.max(y),
}


class Unknown(Exception):
    pass


def evaluate(tree, inputs):
    kind, rest = tree[0], tree[1:]
    if kind == "number":
        return arb(fmpq(int(rest[0]), int(rest[1])))
    if kind == "pi":
        return arb.pi()
    if kind == "input":
        return inputs[rest[0]]
    functions = OPERATIONS if kind == "operation" else SPECIAL
    function = functions.get(rest[0])
    if function is None:
        raise Unknown
    return function(*[evaluate(one, inputs) for one in rest[1:]])


def exact(text):
    return arb(float.fromhex(text))


def answer(tree, inputs):
    for precision in PRECISIONS:
        ctx.prec = precision
        value = evaluate(tree, [exact(one) for one in inputs])
        if value.is_finite() and (value.is_exact() or value.rel_accuracy_bits() >= BITS):
            return digits(value)
        # Beyond the doubles it does not matter by how much.
        if value.is_finite() and abs(value) < arb(2) ** -1200:
            return "1/-1300"
    return "unknown"


def main():
    memory = 2 << 30
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    print("ready", flush=True)
    for line in sys.stdin:
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            tree, *inputs = json.loads(line)
            said = answer(tree, inputs)
        except Undefined:
            said = "undefined"
        except Exception:
            said = "unknown"
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(said, flush=True)


main()
