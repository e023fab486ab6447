"""Packs the self-contained folder as a wheel: packaging/wheel.py TREE VERSION OUTPUT_FOLDER

The tree goes below the environment's prefix as it is (bin, lib, share), so that the command finds its libraries
and pipelines as it does anywhere else; the Python module goes where modules go.
"""

import base64
import hashlib
import os
import pathlib
import platform
import re
import subprocess
import sys
import time
import zipfile

MODULE = pathlib.Path("bindings/python/meshpipe")


def glibc(tree):
    """The latest version of glibc that a file in the tree asks for."""
    latest = (2, 17)
    for path in tree.rglob("*"):
        if not path.is_file() or path.read_bytes()[:4] != b"\x7fELF":
            continue
        symbols = subprocess.run(
            ["objdump", "-T", path], capture_output=True, text=True, check=True).stdout
        for minor in re.findall(r"GLIBC_2\.(\d+)", symbols):
            latest = max(latest, (2, int(minor)))
    return latest


def main(tree, version, folder):
    tree = pathlib.Path(tree)
    major, minor = glibc(tree)
    machine = platform.machine()
    tag = f"py3-none-manylinux_{major}_{minor}_{machine}"
    info, data = f"meshpipe-{version}.dist-info", f"meshpipe-{version}.data"
    date = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    files = {}
    for path in sorted(MODULE.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            files[f"meshpipe/{path.relative_to(MODULE)}"] = path.read_bytes()
    for path in sorted(tree.rglob("*")):
        name = path.relative_to(tree)
        if not path.is_file() or name.parts[:3] == ("share", "meshpipe", "python"):
            continue
        place = f"scripts/{name.name}" if name.parts[0] == "bin" else f"data/{name}"
        files[f"{data}/{place}"] = path.read_bytes()
    readme = pathlib.Path("bindings/python/README.md").read_text()
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: meshpipe\nVersion: {version}\n"
        "Summary: Chains post-processing stages over 3D scans, on the command line and from Python.\n"
        "License: Apache-2.0\nRequires-Python: >=3.9\nRequires-Dist: numpy\n"
        f"Description-Content-Type: text/markdown\n\n{readme}").encode()
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: meshpipe\nRoot-Is-Purelib: false\nTag: {tag}\n").encode()
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    target = pathlib.Path(folder) / f"meshpipe-{version}-{tag}.whl"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
            wheel.writestr(entry, content)
    print(f"dist: {target}", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
