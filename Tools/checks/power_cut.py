#!/usr/bin/env python3
"""Replays what a run did to the disk up to every point at which the power might go (needs strace).

    Tools/checks/power_cut.py MESHPIPE [SAMPLES]

A run with five outputs over older ones, and a batch of ten scans, are recorded call by call. For each point, and for
each state of the disk that may follow from it, an output has to be the old file or the whole new one, and a model must
not come before its pictures. Bytes that were written and not synced are kept, lost, or kept in part; changes
of folders that were not synced are kept up to any one of them, in their order, as file systems with a journal do (ext4,
XFS, Btrfs, APFS). For SAMPLES states (40) of each job the files are laid out, and the job is done again from there: it
has to come to the same files, with nothing left over. Exits with 1 otherwise."""
import dataclasses
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

os.environ["MESHPIPE_CACHE"] = "none"  # each run does all of its work

CALLS = "openat,creat,write,pwrite64,writev,pwritev,ftruncate,truncate,rename,renameat,renameat2,link,linkat,unlink," \
    "unlinkat,mkdir,mkdirat,rmdir,fsync,fdatasync,copy_file_range,sendfile,sync_file_range"
LINE = re.compile(rb"(?P<start>\d+\.\d+) (?P<call>\w+)\((?P<arguments>.*)\) += (?P<result>-?\d+).*<(?P<taken>\d+\.\d+)>$", re.S)
TEXT = re.compile(rb'"((?:\\x[0-9a-f]{2})*)"')
DESCRIPTOR = re.compile(rb"(?:\d+|AT_FDCWD)<([^>]*)>")


@dataclasses.dataclass
class File:
    """A file's bytes as programs see them, and as they are on the disk for certain."""
    bytes: bytes = b""
    synced: bytes = b""


class Disk:
    """Names of files, what became of them since folders were last synced, and the files."""

    def __init__(self, folder):
        self.names = {}  # path: File, or None for a folder
        for place, _, files in os.walk(folder):
            self.names[place] = None
            for name in files:
                with open(f"{place}/{name}", "rb") as file:
                    contents = file.read()
                self.names[f"{place}/{name}"] = File(contents, contents)
        self.settled = dict(self.names)
        self.pending = []  # (path, File or None, or "gone") in order

    def change(self, path, value):
        if value == "gone":
            self.names.pop(path, None)
        else:
            self.names[path] = value
        self.pending.append((path, value))

    def sync_folder(self):
        """A journal that is written holds all that came before."""
        for path, value in self.pending:
            if value == "gone":
                self.settled.pop(path, None)
            else:
                self.settled[path] = value
        self.pending = []

    def states(self):
        """What may be found after the power is back: {path: bytes, or None for a folder}."""
        for count in range(len(self.pending) + 1):
            names = dict(self.settled)
            for path, value in self.pending[:count]:
                if value == "gone":
                    names.pop(path, None)
                else:
                    names[path] = value
            for keep in (lambda file: file.synced, lambda file: file.bytes,
                         lambda file: file.bytes[:max(len(file.synced), len(file.bytes) // 2)]):
                yield {path: file and keep(file) for path, file in names.items()}


def apply(disk, call, arguments, result, within):
    """Does to the disk what a call did; tells whether anything changed."""
    texts = [bytes.fromhex(text.replace(b"\\x", b"").decode()) for text in TEXT.findall(arguments)]
    holders = [os.fsdecode(bytes.fromhex(text.replace(b"\\x", b"").decode()) if text.startswith(b"\\x") else text)
               for text in DESCRIPTOR.findall(arguments)]

    def path(index):
        holder = holders[index] if index < len(holders) else "/"
        return os.path.normpath(os.path.join(holder, os.fsdecode(texts[index])))

    if call in ("openat", "creat"):
        place = path(0)
        if not place.startswith(within) or (b"O_CREAT" not in arguments and b"O_TRUNC" not in arguments):
            return False
        if place not in disk.names:
            disk.change(place, File())
        elif b"O_TRUNC" in arguments:
            disk.names[place].bytes = b""
        else:
            return False
    elif call.startswith("mkdir"):
        if not path(0).startswith(within):
            return False
        disk.change(path(0), None)
    elif call.startswith(("rename", "link")):
        source, target = path(0), path(1)
        if not target.startswith(within):
            return False
        disk.change(target, disk.names[source])
        if call.startswith("rename"):
            disk.change(source, "gone")
    elif call in ("unlink", "unlinkat", "rmdir"):
        if not path(0).startswith(within):
            return False
        disk.change(path(0), "gone")
    elif not holders or not holders[0].startswith(within):
        return False
    elif call in ("fsync", "fdatasync"):
        place = holders[0]
        if disk.names.get(place) is None:
            disk.sync_folder()
        else:
            disk.names[place].synced = disk.names[place].bytes
    elif call == "ftruncate":
        file = disk.names[holders[0]]
        size = int(arguments.rsplit(b",", 1)[1])
        file.bytes = file.bytes[:size].ljust(size, b"\0")
    elif call in ("write", "pwrite64"):
        file = disk.names.get(holders[0])
        if file is None:
            return False
        data = texts[0][:result]
        start = int(arguments.rsplit(b",", 1)[1]) if call == "pwrite64" else len(file.bytes)
        file.bytes = file.bytes[:start].ljust(start, b"\0") + data + file.bytes[start + len(data):]
    elif call == "writev":
        file = disk.names[holders[0]]
        file.bytes += b"".join(texts)[:result]
    else:
        raise ValueError(f"{call} is not known: {arguments[:200]}")
    return True


def record(command, log):
    """The calls of a run in the order in which they ended."""
    subprocess.run(["strace", "-ff", "-y", "-xx", "-s", "100000000", "--absolute-timestamps=format:unix,precision:ns",
                    "-T", "--syscall-times=ns", "-o", log + "/trace", "-e", f"trace={CALLS}", "-e", "signal=none",
                    *command], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    calls = []
    for name in os.listdir(log):
        with open(f"{log}/{name}", "rb") as file:
            for line in file.read().split(b"\n"):
                found = LINE.match(line)
                if found and int(found["result"]) >= 0:
                    end = float(found["start"]) + float(found["taken"])
                    calls.append((end, found["call"].decode(), found["arguments"], int(found["result"])))
    return sorted(calls)


def lay_out(state, within, folder):
    for path in sorted(state):
        place = folder + path.removeprefix(within)
        if state[path] is None:
            os.makedirs(place, exist_ok=True)
    for path, contents in state.items():
        place = folder + path.removeprefix(within)
        if contents is not None and os.path.isdir(os.path.dirname(place)):
            with open(place, "wb") as file:
                file.write(contents)
    for path in state:
        # The power is back after minutes, and private folders are still private.
        if os.path.basename(path).startswith(".meshpipe-"):
            place = folder + path.removeprefix(within)
            os.chmod(place, 0o700)
            os.utime(place, (1, 1))


def files(folder):
    found = {}
    for place, folders, names in os.walk(folder):
        for name in names + folders:
            path = f"{place}/{name}"
            key = path.removeprefix(folder + "/")
            found[key] = open(path, "rb").read() if os.path.isfile(path) else None
    return found


class Job:
    """Something that is done in a folder `out`, over what is there."""

    def __init__(self, name, command, ignored=(), companions={}):
        self.name, self.command, self.ignored, self.companions = name, command, ignored, companions

    def outcome(self, folder):
        return {name: data for name, data in files(folder).items() if not name.startswith(self.ignored)}


def check(job, home, samples):
    out = f"{home}/{job.name}/out"
    old = job.outcome(out)
    disk = Disk(out)
    log = f"{home}/{job.name}/log"
    os.makedirs(log)
    calls = record(job.command(out), log)
    new = job.outcome(out)
    assert old != new, "the job changes nothing"
    faults, points, seen = 0, 0, {}
    done = False
    for _, call, arguments, result in calls:
        if not apply(disk, call, arguments, result, out):
            continue
        points += 1
        for state in disk.states():
            seen[hash(frozenset(state.items()))] = state
            short = {path.removeprefix(out + "/"): data for path, data in state.items()}
            for name in new.keys() | old.keys():
                if short.get(name) not in (old.get(name), new.get(name)):
                    faults += 1
                    print(f"{job.name}: after {points} calls ({call}) {name} is neither old nor new")
            for model, needed in job.companions.items():
                if short.get(model) == new[model] != old[model] and any(short.get(name) != new[name] for name in needed):
                    faults += 1
                    print(f"{job.name}: after {points} calls ({call}) {model} comes before {needed}")
            done = all(short.get(name) == data for name, data in new.items())
    if not done:
        faults += 1
        print(f"{job.name}: it ended well before all was on the disk")
    states = list(seen.values())
    for number, state in enumerate(random.sample(states, min(samples, len(states)))):
        again = f"{home}/{job.name}/again-{number}"
        os.makedirs(again)
        lay_out(state, out, again)
        run = subprocess.run(job.command(again), stdin=subprocess.DEVNULL, capture_output=True)
        found = job.outcome(again)
        if run.returncode or found != new:
            faults += 1
            wrong = sorted(name for name in found.keys() | new.keys() if found.get(name) != new.get(name))
            print(f"{job.name}: done again it ends with {run.returncode}, other files: {wrong} "
                  f"{run.stderr.decode(errors='replace')[-200:]}")
        shutil.rmtree(again)
    print(f"{job.name}: {points} points, {len(states)} states of the disk, {faults} faults")
    return faults


def write_scan(path, size, picture=None):
    with open(path, "w") as file:
        if picture:
            file.write(f"mtllib {picture}.mtl\nusemtl skin\n")
            with open(f"{os.path.dirname(path)}/{picture}.mtl", "w") as materials:
                materials.write(f"newmtl skin\nmap_Kd {picture}.png\n")
        file.write(f"v 0 0 0\nv {size} 0 0\nv {size} {size} 0\nv 0 {size} 0\nvt 0 0\nvt 1 0\nvt 1 1\nf 1/1 2/2 3/3\n")


def png(red):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)) + \
        chunk(b"IDAT", zlib.compress(bytes([0, red, 0, 0]))) + chunk(b"IEND", b"")


def main():
    program = os.path.abspath(sys.argv[1])
    samples = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    random.seed(1)
    home = os.path.realpath(tempfile.mkdtemp())
    for version, size in (("old", 1), ("new", 2)):
        os.makedirs(f"{home}/{version}")
        with open(f"{home}/{version}/wall.png", "wb") as file:
            file.write(png(40 * size))
        write_scan(f"{home}/{version}/scan.obj", size, "wall")
    for index in range(10):
        os.makedirs(f"{home}/scans", exist_ok=True)
        write_scan(f"{home}/scans/room-{index}.obj", index + 1)
    names = ["a.glb", "a.ply", "a.obj", "a.stl", "a.fbx"]

    def run(version):
        return lambda out: [program, "run", "-q", "--progress", "none", "--force", f"{home}/{version}/scan.obj",
                            *(word for name in names for word in ("-o", f"{out}/{name}"))]

    def batch(out):
        return [program, "batch", "-q", "-j", "2", "--resume", f"{home}/scans", "-o", f"{out}/${{stem}}.glb"]

    os.makedirs(f"{home}/run/out")
    subprocess.run(run("old")(f"{home}/run/out"), check=True)
    os.makedirs(f"{home}/batch/out")
    faults = check(Job("run", run("new"), companions={"a.obj": ["a.mtl", "a_wall.png"], "a.ply": ["a_wall.png"]}), home, samples)
    faults += check(Job("batch", batch, ignored=(".meshpipe",)), home, samples)
    shutil.rmtree(home)
    sys.exit(1 if faults else 0)


main()
