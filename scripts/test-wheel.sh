#!/bin/sh
# Installs the wheel into a new virtual environment and uses it there: scripts/test-wheel.sh OUTPUT
set -eu
wheel=$(ls "$1"/lostbits-*.whl)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "FAILED: $*"
    exit 1
}
python3 -m venv "$work/environment"
"$work/environment/bin/pip" install --quiet --no-index "$wheel"
PATH=$work/environment/bin:$PATH
cd "$work"
test "$(command -v lostbits)" = "$work/environment/bin/lostbits" || fail "pip installed no lostbits"
lostbits doctor >doctor || fail "$(cat doctor)"
cat >wrong.c <<END
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **arguments) {
    double x = atof(arguments[1]);
    printf("%.17g\n", (1 + (x + 1e16)) - 1e16);
}
END
lostbits explain wrong.c -O1 -- 0.3 >report 2>&1 && code=0 || code=$?
test $code = 1 && grep -q 'wrong.c:5' report || fail "explain: exit $code: $(cat report)"
LOSTBITS_MODE=explain lostbits-cc -g wrong.c -o wrong || fail "lostbits-cc"
lostbits explain --once ./wrong -- 0.3 >report 2>&1 && code=0 || code=$?
test $code = 1 && grep -q 'wrong.c:5' report || fail "lostbits-cc: exit $code: $(cat report)"
cargo-lostbits lostbits --help >help 2>&1 || fail "cargo-lostbits: $(cat help)"
# The module, in a program whose numbers pass through a buffer.
cat >buffer.c <<END
void lose(double *numbers, long count) {
    for (long i = 0; i < count; i++) numbers[i] = (1 + (numbers[i] + 1e16)) - 1e16;
}
END
LOSTBITS_MODE=explain lostbits-cc -O1 -g -fPIC -shared buffer.c -o buffer.so
cat >use.py <<END
import array, ctypes
import lostbits

numbers = array.array("d", [0.3, 0.4])
address, count = numbers.buffer_info()
ctypes.PyDLL("./buffer.so").lose(ctypes.c_void_p(address), ctypes.c_long(count))
assert lostbits.output(numbers) is numbers
END
python use.py || fail "lostbits.output fails outside lostbits"
lostbits test -- python use.py >report 2>&1 && code=0 || code=$?
test $code = 1 && grep -q 'its cause is unknown' report && grep -q 'called from .*use.py:7' report || fail "lostbits.output: exit $code: $(cat report)"
cat >module.py <<END
import lostbits

report = lostbits.explain("sqrt(x + 1) - sqrt(x)", {"x": (1, 1e15)})
assert report.verdict == "findings", report
assert report.findings[0].kind == "cancellation" and report.findings[0].bits > 40, report.findings
assert "cancellation" in report._repr_html_() and "sqrt" in report._repr_html_() and "cancel" in str(report)
assert lostbits.explain("x + 1", {"x": 1}).findings == []
try:
    lostbits.explain("sqrt(")
except lostbits.Failure as failure:
    assert str(failure), failure
else:
    raise SystemExit("a wrong expression is no failure")
END
python module.py || fail "the module lostbits"
"$work/environment/bin/pip" uninstall --quiet --yes lostbits
test ! -e "$work/environment/bin/lostbits" && test ! -e "$work/environment/lib/lostbits/lostbits_runtime.o" || fail "uninstall left files"
echo "$(basename "$wheel"): installed, used, removed"
