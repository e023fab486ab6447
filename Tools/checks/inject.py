#!/usr/bin/env python3
"""Makes each call of the system fail in turn while meshpipe works, and looks at what is left (needs strace).

    Tools/checks/inject.py MESHPIPE [SECONDS [FOLDER]]

Whatever fails, the outputs are the old files or the whole new ones, the exit code is one of those that are documented,
and nothing is left over. Exits with 1 otherwise."""
import collections
import hashlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

os.environ["MESHPIPE_CACHE"] = "none"  # each run does all of its work

# 127 and 1 are the loader's and the shell's, before the program begins.
CODES = {0, 1, 65, 66, 69, 73, 74, 75, 127}
CALLS = [("openat", "EMFILE"), ("openat", "EACCES"), ("read", "EIO"), ("write", "ENOSPC"), ("write", "EIO"),
         ("fsync", "EIO"), ("rename", "EIO"), ("mmap", "ENOMEM"), ("mkdir", "ENOSPC"), ("clone3", "EAGAIN"),
         ("clone", "EAGAIN"), ("vfork", "EAGAIN"), ("pipe2", "EMFILE"), ("newfstatat", "EIO")]
OUTPUTS = ["a.glb", "a.ply", "a.obj", "a.stl", "a.fbx"]


def contents(folder):
    names = sorted(os.listdir(folder))
    return {name: hashlib.md5(open(f"{folder}/{name}", "rb").read()).hexdigest() if os.path.isfile(f"{folder}/{name}")
            else "a folder" for name in names}


def main():
    program = os.path.abspath(sys.argv[1])
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 120
    folder = tempfile.mkdtemp(dir=sys.argv[3] if len(sys.argv) > 3 else None)
    random.seed(1)
    scan = folder + "/scan.obj"
    with open(scan, "w") as file:
        file.write("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")
    old_scan = folder + "/old.obj"
    with open(old_scan, "w") as file:
        file.write("v 0 0 0\nv 2 0 0\nv 2 2 0\nf 1 2 3\n")

    def job(input_file, output, injection=()):
        arguments = [word for name in OUTPUTS for word in ("-o", f"{output}/{name}")]
        return subprocess.run([*injection, program, "run", "-q", input_file, *arguments], stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=60)

    sets = {}
    for name, source in [("old", old_scan), ("new", scan)]:
        os.makedirs(f"{folder}/{name}")
        assert job(source, f"{folder}/{name}").returncode == 0
        sets[name] = contents(f"{folder}/{name}")
    output = folder + "/out"
    faults = 0
    counts = collections.Counter()
    end = time.time() + seconds
    number = 0
    while time.time() < end:
        call, error = CALLS[number % len(CALLS)]
        when = 1 + (number // len(CALLS)) * random.choice([1, 1, 2, 5])
        # The loader's own are not ours.
        when += 80 if call == "mmap" else 0
        number += 1
        shutil.rmtree(output, ignore_errors=True)
        shutil.copytree(f"{folder}/old", output)
        trace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e",
                 f"inject={call}:error={error}:when={when}"]
        try:
            run = job(scan, output, trace)
        except subprocess.TimeoutExpired:
            faults += 1
            print(f"{call} {error} {when}: hangs")
            continue
        found = contents(output)
        counts[run.returncode] += 1
        whole = found == sets["new"] if run.returncode == 0 else found == sets["old"]
        # The folder may be synced only after the files are in place.
        whole = whole or (run.returncode == 74 and found == sets["new"])
        if not whole or run.returncode not in CODES:
            faults += 1
            changed = [name for name in sorted(found) if found[name] != sets["old"].get(name)]
            print(f"{call} {error} {when}: exit {run.returncode}, changed {changed}: "
                  f"{run.stderr.decode(errors='replace').strip()[-200:]}")
    print(number, "runs,", dict(sorted(counts.items())), faults, "faults")
    shutil.rmtree(folder)
    sys.exit(1 if faults else 0)


main()
