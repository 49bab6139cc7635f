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
"$work/environment/bin/pip" uninstall --quiet --yes lostbits
test ! -e "$work/environment/bin/lostbits" && test ! -e "$work/environment/lib/lostbits/lostbits_runtime.o" || fail "uninstall left files"
echo "$(basename "$wheel"): installed, used, removed"
