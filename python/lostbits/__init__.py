"""lostbits: find where a numerical program loses accuracy, and why.

    import lostbits
    lostbits.explain("sqrt(x + 1) - sqrt(x)", {"x": (1, 1e15)})
    lostbits.output(array)

`explain` runs the command `lostbits explain` and returns its report. `output` marks numbers as results of a program that runs under
lostbits, and does nothing elsewhere.
"""
import array
import ctypes
import html
import json
import os
import pathlib
import shutil
import subprocess
import sys

__all__ = ["explain", "output", "Report", "Finding", "Failure"]


class Failure(Exception):
    """lostbits could not do what was asked; the text says why."""


class Finding:
    """A root cause of error. Attributes are the fields of a finding in docs/explain.schema.json."""

    def __init__(self, fields):
        self.fields = fields

    def __getattr__(self, name):
        try:
            return self.fields[name]
        except KeyError:
            raise AttributeError(name) from None

    def __repr__(self):
        return f"<{self.kind} at {self.place}: {self.bits:.1f} bits lost>"

    @property
    def place(self):
        """`file:line`; an expression is one line."""
        location = self.fields["location"]
        return "expression" if location["file"] == "expression" else f"{location['file']}:{location['line']}"

    @property
    def bits(self):
        """The most bits that an execution lost."""
        return self.fields["max_error_bits"]


class Report:
    """What `lostbits explain` found; the whole report is in `data` (docs/explain.schema.json)."""

    def __init__(self, data, text):
        self.data = data
        self.text = text
        self.verdict = data["verdict"]
        self.findings = [Finding(fields) for fields in data["findings"]]

    def __repr__(self):
        return f"<lostbits: {self.verdict}, {len(self.findings)} findings>"

    def __str__(self):
        return self.text

    def _repr_html_(self):
        """A table for notebooks."""
        colour = {"clean": "#1a7f37", "findings": "#cf222e"}.get(self.verdict, "#9a6700")
        rows = "".join(self._row(one) for one in self.findings)
        table = f"<table><tr><th>where</th><th>kind</th><th>bits lost</th><th>expression</th></tr>{rows}</table>" if rows else ""
        return (
            f'<div><b style="color:{colour}">{html.escape(self.verdict)}</b>{table}'
            f"<details><summary>report</summary><pre>{html.escape(self.text)}</pre></details></div>"
        )

    @staticmethod
    def _row(one):
        cells = (one.place, one.kind, f"{one.bits:.1f}", one.expression or "")
        return "<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells) + "</tr>"


def _command():
    """The command of this package's environment, else the one that the shell would find."""
    beside = pathlib.Path(sys.executable).parent / "lostbits"
    found = str(beside) if beside.exists() else shutil.which("lostbits")
    if not found:
        raise Failure("the command lostbits is not on PATH: install the wheel, or add its folder to PATH")
    return found


def _run(words):
    done = subprocess.run([_command(), *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    # 0 clean, 1 findings, 3 undecided; everything else is a failure.
    if done.returncode not in (0, 1, 3):
        raise Failure(done.stderr.strip() or f"lostbits ended with exit code {done.returncode}")
    return done


def explain(expression, ranges=None, options=()):
    """Explains the errors of an expression, such as "sqrt(x + 1) - sqrt(x)".

    `ranges` gives each variable a pair of bounds, or one number. `options` are further words of `lostbits explain`.
    """
    words = ["explain", expression]
    for name, bounds in (ranges or {}).items():
        low, high = bounds if isinstance(bounds, (tuple, list)) else (bounds, bounds)
        words += ["--range", f"{name}={float(low)!r}:{float(high)!r}"]
    words += list(options)
    data = json.loads(_run([*words, "--format", "json"]).stdout)
    return Report(data, _run(words).stdout)


def _marker():
    """The instrumented function that marks numbers, where this process runs under `lostbits explain`, `run` or `test`."""
    if _marker.library is None:
        _marker.library = False
        path = pathlib.Path(__file__).parent / "output.so"
        if os.environ.get("LOSTBITS_OUT") and path.exists():
            # PyDLL keeps the interpreter's lock, so that the caller's line can be read.
            _marker.library = ctypes.PyDLL(str(path))
    return _marker.library


_marker.library = None


def output(numbers):
    """Marks numbers as results: a float, or anything with a buffer of float64 or float32, such as a NumPy array.

    Numbers in buffers keep what is known of their errors. A Python float does not: mark the buffer it came from.
    Returns its argument.
    """
    library = _marker()
    if library:
        view = memoryview(array.array("d", [numbers]) if isinstance(numbers, (int, float)) else numbers)
        if view.format not in ("d", "f"):
            raise TypeError(f"numbers of format {view.format!r} are not float64 or float32")
        if not view.c_contiguous:
            raise ValueError("the buffer is not contiguous: pass parts of it that are")
        count = view.nbytes // view.itemsize
        address = _address(view)
        mark = library.lostbits_python_output if view.format == "d" else library.lostbits_python_output_floats
        mark(ctypes.c_void_p(address), ctypes.c_long(count))
    return numbers


class _Buffer(ctypes.Structure):
    _fields_ = [("start", ctypes.c_void_p), ("rest", ctypes.c_byte * 256)]


def _address(view):
    buffer = _Buffer()
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(view), ctypes.byref(buffer), 0)
    start = buffer.start
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(buffer))
    return start
