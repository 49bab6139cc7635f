#!/bin/sh
# Repairs formulas of published code that nobody here wrote, and judges the patches with mpmath.
#
#   scripts/fix-published.sh LOSTBITS FOLDER
#
# statrs 0.18.0 comes from the crates' registry through cargo, GSL from Debian's source package. `lostbits fix --function` patches
# the functions; bench/fix/published.py runs the code as published and as patched. Everything is written below FOLDER.
set -eu
umask 022

[ $# -eq 2 ] || { echo "usage: fix-published.sh LOSTBITS FOLDER" >&2; exit 2; }
mkdir -p "$2"
lostbits=$(realpath "$1")
folder=$(realpath "$2")
here=$(cd "$(dirname "$0")/.." && pwd)

# The crate, as cargo fetches it, and a copy to patch.
crate=$folder/crate
mkdir -p "$crate/src"
echo 'fn main() {}' >"$crate/src/main.rs"
cat >"$crate/Cargo.toml" <<'END'
[package]
name = "published"
edition = "2021"
[dependencies]
statrs = { version = "=0.18.0", default-features = false }
[workspace]
END
manifest=$(cd "$crate" && cargo metadata --quiet --format-version 1 |
    python3 -c 'import json, sys; print(next(p["manifest_path"] for p in json.load(sys.stdin)["packages"] if p["name"] == "statrs"))')
rm -rf "$folder/statrs" "$folder/patches"
mkdir "$folder/patches"
cp -r "$(dirname "$manifest")" "$folder/statrs"
chmod -R u+w "$folder/statrs"

# GSL's headers are linked into one folder, as its own build does.
"$here/scripts/debian-source.sh" gsl "$folder/source/gsl"
rm -rf "$folder/gsl"
mkdir -p "$folder/gsl/include/gsl"
for header in "$folder"/source/gsl/gsl_*.h "$folder"/source/gsl/*/gsl_*.h; do
    ln -sf "$header" "$folder/gsl/include/gsl/"
done
: >"$folder/gsl/include/config.h"
cp "$folder/source/gsl/randist/logarithmic.c" "$folder/gsl/"

repair() {
    name=$1
    shift
    echo "== $name: lostbits fix $*"
    "$lostbits" fix "$@" --apply --patch "$folder/patches/$name.diff" || echo "   exit code $?"
}

cd "$folder/statrs/src/distribution"
repair exponential --function cdf --range self.rate=1e-9:1e9 --range x=0:1e9 exponential.rs
repair geometric --function ln_pmf --range self.p=1e-300:0.9999999999999999 geometric.rs
repair log_normal --function variance --range sigma2=0:100 --range self.location=-100:100 log_normal.rs
cd "$folder/gsl"
repair logarithmic --function gsl_ran_logarithmic_pdf --range p=1e-300:1 logarithmic.c -O2 "-I$folder/gsl/include"

python3 "$here/bench/fix/published.py" "$folder"
