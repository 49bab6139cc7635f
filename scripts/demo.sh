#!/bin/sh
# What lostbits does, on one small program: a wrong result, the line to blame with its proof, and the fix.
#   RELEASE  the folder with the built tool; without it, the installed one is shown
#   FOLDER   where the program is built
set -eu

PATH="${RELEASE:+$PWD/$RELEASE:}$PATH"
folder=${FOLDER:-.}
source=tests/demo/drop.c
mkdir -p "$folder"

show() {
    printf '\n$ %s\n' "$*"
}

# There is a finding: exit code 1.
finds() {
    "$@" || [ $? -eq 1 ]
}

show ./drop 0.5 10 1000
clang-22 -O2 $source -o "$folder/drop" -lm
"$folder/drop" 0.5 10 1000

show lostbits explain $source -O2 -lm -- 0.5 10 1000
finds lostbits explain $source -O2 -lm -- 0.5 10 1000 2>&1 >/dev/null

show "lostbits fix '1 - cos(distance / 6371000)' --range distance=0.5:1000"
lostbits fix '1 - cos(distance / 6371000)' --range distance=0.5:1000
