#!/bin/sh
# Fetches a Debian source package and unpacks it.
#
#   scripts/debian-source.sh PACKAGE FOLDER
#
# FOLDER becomes the unpacked source tree, Debian's patches applied. The machine's own apt sources
# are read, turned into deb-src entries and kept with apt's lists in a private folder (`.apt` beside
# FOLDER): neither the system's sources nor its lists or caches are changed, and no root is needed
# unless dpkg-dev has to be installed. A FOLDER that is already there is left as it is.
set -eu
umask 022

say() { printf 'debian-source: %s\n' "$*" >&2; }
fail() { say "$*"; exit 2; }

[ $# -eq 2 ] || fail "usage: debian-source.sh PACKAGE FOLDER"
package=$1
folder=$2
case $package in *[!a-z0-9.+-]*|'') fail "'$package' is not the name of a Debian source package" ;; esac
[ ! -d "$folder" ] || { say "$folder is there already; remove it to fetch $package again"; exit 0; }
command -v apt-get >/dev/null || fail "apt-get is missing: this works on Debian and its relatives only"

mkdir -p "$(dirname "$folder")"
parent=$(cd "$(dirname "$folder")" && pwd)
apt=$parent/.apt

# dpkg-source unpacks and patches; it is the only part that may have to be installed.
if ! command -v dpkg-source >/dev/null; then
    say "installing dpkg-dev, which unpacks source packages"
    root=''
    [ "$(id -u)" -eq 0 ] || root=sudo
    $root apt-get update -q
    $root apt-get install -q -y --no-install-recommends dpkg-dev patch xz-utils ||
        fail "dpkg-dev could not be installed; install it by hand and try again"
fi

# One-line format: every deb or deb-src line as deb-src, without a restriction to architectures.
one_line_sources() {
    sed -nE -e 's/^[[:space:]]*deb(-src)?[[:space:]]+/deb-src /' \
        -e '/^deb-src /{s/\barch[+-]?=[^] ]*//; s/\[[[:space:]]*\]//; p}' "$1" | sort -u
}

# Deb822 format: the stanza kept, its types replaced, its architectures dropped.
deb822_sources() {
    sed -E -e 's/^[Tt]ypes:.*/Types: deb-src/' -e '/^[Aa]rchitectures(-[A-Za-z]+)?:/d' "$1"
}

derive_sources() {
    rm -rf "$apt/sources"
    mkdir -p "$apt/sources"
    eval "$(apt-config shell main Dir::Etc::sourcelist/f parts Dir::Etc::sourceparts/d)"
    for file in "${main:-}" "${parts:-/nowhere}"/*.list "${parts:-/nowhere}"/*.sources; do
        [ -r "$file" ] && [ -f "$file" ] || continue
        case $file in
            *.sources) deb822_sources "$file" ;;
            *) one_line_sources "$file" ;;
        esac > "$apt/sources/$(basename "$file")"
    done
    grep -qs deb-src "$apt"/sources/* ||
        fail "no Debian archive is configured in apt's sources; add one (see sources.list(5))"
}

# The machine's configuration (proxies, certificates, keys), but its folders private and without its
# hooks, which would tidy the system's caches and fail without root.
write_configuration() {
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    (umask 077 && {
        apt-config dump | grep -vE '(Pre|Post)-(Invoke|Install)|^Dir::(Etc|State::lists|Cache)' || true
        cat <<CONFIGURATION
Dir::Etc "/etc/apt";
Dir::Etc::main "/dev/null";
Dir::Etc::parts "/dev/null";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$apt/sources";
Dir::State::lists "$apt/lists";
Dir::Cache "$apt/cache";
APT::Sandbox::User "$(id -un)";
CONFIGURATION
    } > "$apt/apt.conf")
}

private_apt() { APT_CONFIG=$apt/apt.conf apt-get -q "$@"; }

knows_package() { private_apt source --print-uris --only-source "$package" >/dev/null 2>&1; }

mkdir -p "$apt"
derive_sources
write_configuration
if ! knows_package; then
    say "reading the lists of source packages into $apt"
    # Archives without sources, or out of reach, do not matter if another one has the package.
    private_apt update >"$apt/update.log" 2>&1 || true
    knows_package || fail "no configured archive has the source package '$package' (apt said: $apt/update.log)"
fi

download=$parent/.download-$package
rm -rf "$download"
mkdir -p "$download"
say "fetching $package"
(cd "$download" && private_apt source --only-source --download-only "$package" >fetch.log 2>&1) ||
    { cat "$download/fetch.log" >&2; fail "$package could not be fetched"; }
# Unpacked beside and moved, so that a FOLDER that exists is a FOLDER that is whole.
dpkg-source --no-check -x "$download"/*.dsc "$download/tree" >"$download/unpack.log" 2>&1 ||
    { cat "$download/unpack.log" >&2; fail "$package could not be unpacked"; }
mv "$download/tree" "$folder"
rm -rf "$download"
say "$package is in $folder"
