#!/bin/sh
# Builds a Debian package and a tarball of what is built in RELEASE, in target/package.
#   scripts/package.sh RELEASE OUTPUT
set -eu
release=$1
output=$2
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
[ -n "$version" ] || { echo "package: Cargo.toml has no version" >&2; exit 2; }
name=lostbits-$version-x86_64-linux
stage=$output/stage
rm -rf "$stage" "$output/$name"
mkdir -p "$output"

# The tarball: unpack it anywhere; the tool finds its parts beside itself.
make --no-print-directory --silent install-files RELEASE="$release" DESTDIR="$output/$name" PREFIX=
strip --strip-unneeded "$output/$name/bin/lostbits" "$output/$name/bin/lostbits-z3"
cp LICENSE-MIT LICENSE-APACHE README.md docs/licences.md "$output/$name"
tar -C "$output" --owner=0 --group=0 -cJf "$output/$name.tar.xz" "$name"

# The package: the same below /usr.
mkdir -p "$stage/usr" "$stage/DEBIAN" "$stage/usr/share/doc/lostbits"
cp -a "$output/$name/bin" "$output/$name/lib" "$output/$name/include" "$output/$name/share" "$stage/usr"
find "$stage/usr/share/man" -name '*.1' -exec gzip -9n {} +
cp README.md docs/licences.md "$stage/usr/share/doc/lostbits"
cat >"$stage/usr/share/doc/lostbits/copyright" <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: the authors of lostbits
License: MIT or Apache-2.0
Comment: Contains GMP, MPFR, rug and gmp-mpfr-sys (LGPL-3.0-or-later), linked statically: see licences.md. On Debian systems, the
 texts are /usr/share/common-licenses/LGPL-3, GPL-3 and Apache-2.0.

$(sed 's/^/ /; s/^ $/ ./' LICENSE-MIT)
END

# What the programs themselves need, as dpkg-dev sees it.
mkdir -p "$output/shlibs/debian"
printf 'Source: lostbits\nPackage: lostbits\nArchitecture: amd64\n' >"$output/shlibs/debian/control"
programs=$(cd "$stage" && pwd)/usr/bin
libraries=$(cd "$output/shlibs" && dpkg-shlibdeps -O "$programs/lostbits" "$programs/lostbits-z3" 2>/dev/null |
    sed 's/^shlibs:Depends=//')
rm -rf "$output/shlibs"
cat >"$stage/DEBIAN/control" <<END
Package: lostbits
Version: $version
Architecture: amd64
Maintainer: the authors of lostbits <lostbits@localhost>
Section: devel
Priority: optional
Installed-Size: $(du -sk "$stage/usr" | cut -f 1)
Depends: clang-22, binutils, libc6-dev, $libraries
Recommends: flang-22, libflang-22-dev, libomp-22-dev, libstdc++-12-dev
Suggests: rustc, xdg-utils
Description: find where a numerical program loses accuracy, and why
 lostbits compiles C, C++, Fortran and Rust programs with an LLVM pass that
 measures the error of every floating-point value, names the lines to blame
 for wrong results with a proof, and looks for better formulas.
END
dpkg-deb --root-owner-group --build "$stage" "$output/lostbits_${version}_amd64.deb" >/dev/null
rm -rf "$stage" "${output:?}/$name"
ls -lh "$output" | tail -n +2
