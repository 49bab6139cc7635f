#!/usr/bin/env python3
"""Writes a wheel of an installed tree: `pip install` of it gives the command `lostbits`.

    scripts/wheel.py TREE VERSION OUTPUT

TREE has bin, lib, include and share, as `make install-files` writes them; they go below the environment's prefix, where the tool
finds its parts. The module in python/lostbits and OUTPUT/output.so, which it loads, go beside other modules. Wheels hold no symbolic links: a link to `lostbits` becomes a script that calls it. The same tree gives the same
bytes.
"""
import base64
import hashlib
import os
import pathlib
import sys
import zipfile

LINKED = {
    "lostbits-cc": "cc",
    "lostbits-c++": "c++",
    "lostbits-fc": "fc",
    "lostbits-rustc": "rustc",
}


def script(link):
    if link in LINKED:
        return f'#!/bin/sh\nexec "$(dirname "$0")/lostbits" {LINKED[link]} "$@"\n'
    # bash gives the tool the name by which cargo calls it.
    return f'#!/bin/bash\nexec -a "$0" "$(dirname "$0")/lostbits" "$@"\n'


def main(tree, version, output):
    tree, output = pathlib.Path(tree), pathlib.Path(output)
    name = f"lostbits-{version}"
    files = {}
    for path in sorted(tree.rglob("*")):
        inside = path.relative_to(tree).as_posix()
        if path.is_symlink():
            if os.readlink(path) != "lostbits":
                sys.exit(f"wheel: {inside} links to something else than lostbits")
            files[f"{name}.data/data/{inside}"] = (script(path.name).encode(), 0o755)
        elif path.is_file() and inside.split("/")[0] in ("bin", "lib", "include", "share"):
            files[f"{name}.data/data/{inside}"] = (path.read_bytes(), path.stat().st_mode & 0o777)
    for path in sorted(pathlib.Path("python/lostbits").glob("*.py")):
        files[f"lostbits/{path.name}"] = (path.read_bytes(), 0o644)
    files["lostbits/output.so"] = ((output / "output.so").read_bytes(), 0o755)
    information = f"{name}.dist-info"
    metadata = (
        f"Metadata-Version: 2.1\nName: lostbits\nVersion: {version}\n"
        "Summary: find where a numerical program loses accuracy, and why\n"
        "License: MIT OR Apache-2.0\nRequires-Python: >=3.7\n\n" + pathlib.Path("README.md").read_text()
    )
    files[f"{information}/METADATA"] = (metadata.encode(), 0o644)
    tag = "Wheel-Version: 1.0\nGenerator: lostbits\nRoot-Is-Purelib: false\nTag: py3-none-linux_x86_64\n"
    files[f"{information}/WHEEL"] = (tag.encode(), 0o644)
    for licence in ("LICENSE-MIT", "LICENSE-APACHE", "docs/licences.md"):
        files[f"{information}/licenses/{licence}"] = (pathlib.Path(licence).read_bytes(), 0o644)
    record = []
    for inside, (content, _) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append(f"{inside},sha256={digest},{len(content)}\n")
    record.append(f"{information}/RECORD,,\n")
    files[f"{information}/RECORD"] = ("".join(record).encode(), 0o644)
    wheel = output / f"{name}-py3-none-linux_x86_64.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for inside, (content, mode) in files.items():
            member = zipfile.ZipInfo(inside, (1980, 1, 1, 0, 0, 0))
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = (0o100000 | mode) << 16
            archive.writestr(member, content)
    print(wheel)


if __name__ == "__main__":
    main(*sys.argv[1:])
