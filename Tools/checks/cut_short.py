#!/usr/bin/env python3
"""Cuts scans short while meshpipe reads them, and counts how the runs end.

    Tools/checks/cut_short.py MESHPIPE [TRIALS [FOLDER]]

A run must succeed (the scan was read before), or say that the scan is unusable (65: it was cut before it was opened)
or that it changed (75); with nothing left behind, and never by a signal. Exits with 1 otherwise."""
import collections
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

os.environ["MESHPIPE_CACHE"] = "none"  # each run does all of its work

SIDE = 400


def write_scan(path):
    """A waved square of 320,000 faces."""
    with open(path, "w") as file:
        for j in range(SIDE + 1):
            for i in range(SIDE + 1):
                height = math.sin(i * 0.05) * math.cos(j * 0.05) * 0.3
                file.write(f"v {i * 0.01:.5f} {height:.5f} {j * 0.01:.5f}\n")
        for j in range(SIDE):
            for i in range(SIDE):
                a = j * (SIDE + 1) + i + 1
                file.write(f"f {a} {a + 1} {a + SIDE + 2}\nf {a} {a + SIDE + 2} {a + SIDE + 1}\n")


class Trial:
    """Runs with one format."""

    def __init__(self, program, folder, name):
        self.program = program
        self.folder = folder
        self.input = f"{folder}/scan.{name}"
        # The numbers of a glTF file are in a file beside it.
        self.victim = f"{folder}/scan.bin" if name == "gltf" else self.input
        self.whole = self.victim + ".whole"
        shutil.copyfile(self.victim, self.whole)
        self.size = os.path.getsize(self.whole)
        start = time.time()
        subprocess.run([program, "info", self.input], check=True, stdout=subprocess.DEVNULL)
        self.seconds = time.time() - start

    def run(self, part):
        """Cuts the file after a part of the time that reading takes; returns the code, and a fault or None."""
        shutil.copyfile(self.whole, self.victim)
        output = self.folder + "/out"
        os.makedirs(output)
        process = subprocess.Popen(
            [self.program, "run", "-q", "-j", random.choice("12"), self.input, "-o", output + "/o.ply"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(self.seconds * part)
        length = random.choice([0, self.size - 1, random.randrange(self.size), random.randrange(self.size) & ~4095])
        os.truncate(self.victim, length)
        message = process.communicate(timeout=60)[1].decode()
        left = os.listdir(output)
        shutil.rmtree(output)
        code = process.returncode
        good = left == ["o.ply"] if code == 0 else code in (65, 75) and not left
        if code == 75:
            good = good and "changed while it was read" in message
        return code, None if good else f"exit {code}, cut to {length} of {self.size}, left {left}: {message}"


def main():
    program = os.path.abspath(sys.argv[1])
    trials = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    folder = tempfile.mkdtemp(dir=sys.argv[3] if len(sys.argv) > 3 else None)
    random.seed(1)
    write_scan(folder + "/scan.obj")
    formats = ["obj", "ply", "stl", "glb", "gltf", "off", "meshscene", "xyz", "pts", "las", "pcd"]
    for name in formats[1:]:
        subprocess.run([program, "run", "-q", folder + "/scan.obj", "-o", f"{folder}/scan.{name}"],
                       check=True, stderr=subprocess.DEVNULL)
    faults = 0
    for name in formats:
        trial = Trial(program, folder, name)
        counts = collections.Counter()
        for index in range(trials):
            code, fault = trial.run(1.2 * index / trials)
            counts[code] += 1
            if fault:
                faults += 1
                print(f"{name}: {fault}")
        print(name, dict(sorted(counts.items())), flush=True)
    shutil.rmtree(folder)
    sys.exit(1 if faults else 0)


main()
