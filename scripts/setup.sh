#!/bin/sh
# Installs what lostbits needs and this machine lacks; does nothing, quickly, where all is there.
#
#   scripts/setup.sh           compilers and tools, by apt-get (with sudo where not root)
#   scripts/setup.sh --check   only says what is missing; exit code 1 if anything is
set -eu

packages="clang-22 llvm-22 llvm-22-dev flang-22 libflang-22-dev libclang-rt-22-dev libomp-22-dev lld-22 llvm-22-tools
    gcc g++ binutils m4 make dpkg-dev libz3-dev pkg-config"

is_installed() {
    [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

missing=
for package in $packages; do
    is_installed "$package" || missing="$missing $package"
done

if [ "${1-}" = --check ]; then
    [ -z "$missing" ] && exit 0
    echo "setup: missing packages:$missing" >&2
    exit 1
fi

if [ -n "$missing" ]; then
    command -v apt-get >/dev/null || {
        echo "setup: this machine has no apt-get; install these by hand (Debian's names):$missing" >&2
        exit 2
    }
    sudo=
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || {
            echo "setup: not root, and there is no sudo; as root, run: apt-get install$missing" >&2
            exit 2
        }
        sudo=sudo
    fi
    echo "setup: installing with apt-get:$missing"
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get update --quiet=2
    # shellcheck disable=SC2086
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install --quiet=2 --yes --no-install-recommends $missing || {
        echo "setup: apt-get could not install:$missing" >&2
        echo "setup: LLVM 22 is in Debian 12's security suite; is it in your apt sources?" >&2
        exit 2
    }
fi

command -v cargo >/dev/null || {
    echo "setup: cargo is missing; install Rust 1.89 or newer with rustup (see rustup.rs), then try again" >&2
    exit 2
}
