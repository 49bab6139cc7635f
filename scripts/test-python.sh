#!/bin/sh
# Extension modules of Python under pytest: `make test-python`. Installs Debian's Python packages, and packages for a virtual environment.
#   scripts/test-python.sh FOLDER-WITH-LOSTBITS [PYTHON-OF-THE-ENVIRONMENT]
set -eu
home=$(cd "$1" && pwd)
python=${2:-python3}
here=$(cd "$(dirname "$0")/.." && pwd)/tests/python
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
debian="python3 python3-dev python3-venv python3-pip python3-pytest python3-numpy python3-setuptools python3-pybind11 cython3"
# shellcheck disable=SC2086
dpkg -s $debian >/dev/null 2>&1 || apt-get install -y --no-install-recommends $debian >/dev/null
"$python" -m venv "$work/environment"
"$work/environment/bin/python" -m pip install --quiet pytest numpy setuptools wheel pybind11 cython
# Debian's Python, which no virtual environment is to change, finds it by PYTHONPATH.
"$work/environment/bin/python" -m pip install --quiet --target "$work/maturin" 'maturin>=1,<2'
export PATH="$work/maturin/bin:$PATH" PYTHONPATH="$work/maturin"
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# The number of the line with this mark.
line() { grep -n "$2" "$here/$1" | tail -n 1 | cut -d : -f 1; }

# found NAME SOURCE PYTHON: both defects are found, with the lines of Python that called.
found() {
    name=$1 source=$2 python=$3
    number=$((${number:-0} + 1))
    folder=$work/$number
    cp -r "$here/$name" "$folder"
    cd "$folder"
    "$home/lostbits" build -- "$python" -m pip install --quiet --no-deps --no-build-isolation --target "$folder/installed" -v . \
        >log 2>&1 || { fail "$python $name is not built: $(tail -n 20 log)"; return; }
    cp "$here/test_root.py" .
    text=$(MODULE=$name PYTHONPATH=$folder/installed "$home/lostbits" test --all -- "$python" -m pytest -q -p no:cacheprovider \
        test_root.py 2>&1) && code=0 || code=$?
    planted=$(line "$name/$source" PLANTED)
    calls="= Python: called .*from test_root.py:$(line test_root.py CALLS) in .test_large."
    totals="= Python: called .*from test_root.py:$(line test_root.py TOTALS) in .total., from test_root.py:$(line test_root.py OUTER) in .test_buffer."
    case "$code $text" in
    "1 "*"3 passed"*"$(basename "$source"):$planted"*) ;;
    *) fail "$python $name: exit $code: $text" ;;
    esac
    echo "$text" | grep -q "$calls" || fail "$python $name does not name the line of test_large: $text"
    echo "$text" | grep -q "$totals" || fail "$python $name does not name the lines of test_buffer: $text"
    case $text in
    *test_small* | *_pytest*) fail "$python $name names lines that got no wrong result: $text" ;;
    esac
    echo "$python: $name"
}

for python in /usr/bin/python3 "$work/environment/bin/python"; do
    found with_pybind11 with_pybind11.cpp "$python"
    found with_cython with_cython.pyx "$python"
    found with_f2py with_f2py.f90 "$python"
    found with_maturin src/lib.rs "$python"
done
# Two libraries in one process: an error that crosses from one to the other is found, and nothing innocent is blamed for it.
cp -r "$here/two_libraries" "$work/two" && cd "$work/two"
for name in lose total; do LOSTBITS_MODE=explain "$home/lostbits-cc" -O1 -g -fPIC -shared $name.c -o $name.so; done
text=$("$home/lostbits" test --all -- /usr/bin/python3 use.py 2>&1) && code=0 || code=$?
calls=$(line two_libraries/use.py TOTALS)
case "$code $text" in
"1 "*"all 2 outputs are wrong"*"its cause is unknown"*) ;;
*) fail "two libraries: exit $code: $text" ;;
esac
echo "$text" | grep "Python: called" | grep -q "use.py:$calls" || fail "two libraries: the caller of total is not named: $text"
echo "$text" | grep "Python: called" | grep -q "use.py:6; \|; from use.py:6" && fail "two libraries: an innocent line is blamed: $text"
echo "two libraries in one process"
test $failures -eq 0
