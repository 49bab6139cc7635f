"""The true results of FPGen's 21 programs, by mpmath: the algorithms again, with decisions of their own.

Reads lines `function output TAB hex inputs, separated by commas TAB hex computed`, writes for each
`|r - r0| / max(FLT_MIN, |r0|) TAB true value` or `unknown TAB reason`. It shares nothing with lostbits.
"""

import sys

from mpmath import fabs, mp, mpf, nstr, sqrt

mp.dps = 400
N = 4
FLT_MIN = mpf(2) ** -126


def square(values):
    return [list(values[N * i:N * i + N]) for i in range(N)]


def flat(matrix):
    return [entry for row in matrix for entry in row]


def dot(x, y):
    return sum(a * b for a, b in zip(x, y))


def convolution(x, y):
    pairs = lambda k: [(i, k - i) for i in range(N) if 0 <= k - i < N]
    return [sum(x[i] * y[j] for i, j in pairs(k)) for k in range(2 * N - 1)]


def product(a, b):
    a, b = square(a), square(b)
    return [dot(row, [other[j] for other in b]) for row in a for j in range(N)]


def lu(values):
    """Gauss with scaled row pivoting, as Meschach's LUfactor."""
    a = square(values)
    scale = [max(fabs(entry) for entry in row) for row in a]
    for k in range(N - 1):
        # The scales stay where they are when rows are exchanged.
        sizes = [fabs(a[i][k]) / scale[i] if scale[i] else mpf(0) for i in range(N)]
        best = max(range(k, N), key=lambda i: (sizes[i], -i))
        if not sizes[best]:
            a[k][k] = mpf(0)
            continue
        a[k], a[best] = a[best], a[k]
        for i in range(k + 1, N):
            factor = a[i][k] = a[i][k] / a[k][k]
            for j in range(k + 1, N):
                a[i][j] -= factor * a[k][j]
    return flat(a)


def qr(values):
    """Householder's reflections, as Meschach's QRfactor: R, the vectors below, and their first entries."""
    a, diagonal = square(values), []
    for k in range(N):
        v = [row[k] for row in a]
        norm = sqrt(dot(v[k:], v[k:]))
        if norm:
            beta = 1 / (norm * (norm + fabs(v[k])))
            a[k][k] = -norm if v[k] > 0 else norm
            v[k] -= a[k][k]
            for j in range(k + 1, N):
                moved = beta * dot(v[k:], [row[j] for row in a[k:]])
                for i in range(k, N):
                    a[i][j] -= moved * v[i]
        diagonal.append(v[k])
    return flat(a) + diagonal


def weighted(w, values):
    """The weighted mean of values; GSL leaves out weights that are not positive."""
    pairs = [(a, b) for a, b in zip(w, values) if a > 0]
    total = sum(a for a, _ in pairs)
    return sum(a * b for a, b in pairs) / total if total else mpf(0)


def moments(w, x, power, of=lambda delta: delta):
    mean = weighted(w, x)
    return weighted(w, [of(value - mean) ** power for value in x])


def variance(w, x):
    positive = [a for a in w if a > 0]
    total, squares = sum(positive) ** 2, sum(a * a for a in positive)
    return total / (total - squares) * moments(w, x, 2)


def standardised(w, x, power):
    return moments(w, x, power) / sqrt(variance(w, x)) ** power


def statistic(name):
    positive = lambda w: sum(a for a in w if a > 0)
    table = {
        "wmean": weighted,
        "wvariance": variance,
        "wsd": lambda w, x: sqrt(variance(w, x)),
        "wvariance_w": lambda w, x: moments(w, x, 2),
        "wsd_w": lambda w, x: sqrt(moments(w, x, 2)),
        "wtss": lambda w, x: moments(w, x, 2) * positive(w),
        "wabsdev": lambda w, x: moments(w, x, 1, fabs),
        "wskew": lambda w, x: standardised(w, x, 3),
        "wkurtosis": lambda w, x: standardised(w, x, 4) - 3,
    }
    return lambda v: [table[name](v[:N], v[N:])]


PROGRAMS = {
    "recursive_summation": lambda v: [sum(v)],
    "pairwise_summation": lambda v: [sum(v)],
    "compensated_summation": lambda v: [sum(v)],
    "mes_sum": lambda v: [sum(v)],
    "mes_norm1": lambda v: [sum(map(fabs, v))],
    "mes_norm2": lambda v: [sqrt(dot(v, v))],
    "mes_dot": lambda v: [dot(v[:N], v[N:])],
    "mes_conv": lambda v: convolution(v[:N], v[N:]),
    "mes_mv": lambda v: [dot(row, v[N * N:]) for row in square(v)],
    "mes_mm": lambda v: product(v[:N * N], v[N * N:]),
    "mes_lu": lu,
    "mes_qr": qr,
}


def answer(line):
    called, inputs, computed = line.rstrip("\n").split("\t")
    function, output = called.split(" ")
    values = [mpf(float.fromhex(word)) for word in inputs.split(",")]
    results = PROGRAMS.get(function, statistic(function))(values)
    at = int(output[output.index("[") + 1:-1]) if "[" in output else 0
    right = results[at]
    error = fabs(mpf(float.fromhex(computed)) - right) / max(FLT_MIN, fabs(right))
    return f"{nstr(error, 17)}\t{nstr(right, 25)}"


for line in sys.stdin:
    try:
        print(answer(line), flush=True)
    except Exception as reason:
        print(f"unknown\t{reason!r}".replace("\n", " "), flush=True)
