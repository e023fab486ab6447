"""Batches: two thousand small scans, some of them damaged, in one archive.

    python3 Benchmarks/batch.py MESHPIPE [--scans 2000] [--runs 3] [--folder work/batch]

Makes the scans (OBJ with classes, with and without materials, PLY, STL, GLB; two in a hundred damaged in
eleven ways), packs them into a tar.zst, and then

1. converts the archive with `meshpipe batch` and checks that all good ones are there, all bad ones are
   named, and the exit code is 3; states how busy the cores were and the memory of all its processes;
2. does it again, killed with -9 twice at random and resumed, and compares every byte;
3. times it in turn with GNU parallel over `meshpipe run` on the same files, unpacked beforehand.

Needs zstd, and GNU parallel for the third. Medians and ratios count, single times do not.
"""
import argparse
import hashlib
import io
import json
import os
import pathlib
import random
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tarfile
import threading
import time

os.environ["MESHPIPE_CACHE"] = "none"  # each run does all of its work

HERE = pathlib.Path(__file__).resolve().parent
CLASSES = ["floor", "wall", "ceiling", "table"]


def room(rng, columns):
    """A floor, a wall, a ceiling and a table top as height fields: vertices, and faces by class."""
    vertices, groups = [], []
    for kind in range(4):
        base, faces = len(vertices), []
        rows = columns if kind < 3 else columns // 2
        for y in range(rows + 1):
            for x in range(columns + 1):
                u, v, w = 4 * x / columns, 3 * y / rows, rng.gauss(0, 0.003)
                point = {0: (u, w, v), 1: (u, v, w), 2: (u, 2.5 + w, v), 3: (1 + u / 4, 0.7 + w, 1 + v / 4)}
                vertices.append(point[kind])
        for y in range(rows):
            for x in range(columns):
                a = base + y * (columns + 1) + x
                b, c, d = a + 1, a + columns + 1, a + columns + 2
                quad = [(a, b, c), (b, d, c)]
                faces += quad if kind in (1, 2) else [(p, r, q) for p, q, r in quad]
        groups.append(faces)
    return vertices, groups


def obj(vertices, groups, material=None):
    lines = [f"mtllib {material}.mtl"] if material else []
    lines += ["v %.4f %.4f %.4f" % v for v in vertices]
    for name, faces in zip(CLASSES, groups):
        lines.append(f"g {name}")
        if material:
            lines.append(f"usemtl {name}")
        lines += ["f %d %d %d" % tuple(i + 1 for i in face) for face in faces]
    return ("\n".join(lines) + "\n").encode()


def mtl():
    return "".join(f"newmtl {name}\nKd 0.{i + 3} 0.5 0.4\n" for i, name in enumerate(CLASSES)).encode()


def ply(vertices, groups):
    count = sum(map(len, groups))
    head = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {len(vertices)}\nproperty float x\n"
        f"property float y\nproperty float z\nelement face {count}\n"
        "property list uchar int vertex_indices\nproperty uchar classification\nend_header\n")
    body = b"".join(struct.pack("<3f", *v) for v in vertices)
    for label, faces in zip((2, 1, 3, 4), groups):
        body += b"".join(struct.pack("<B3iB", 3, *face, label) for face in faces)
    return head.encode() + body


def stl(vertices, groups):
    faces = [face for group in groups for face in group]
    triangles = (b"".join(struct.pack("<3f", *vertices[i]) for i in face) for face in faces)
    return b"\0" * 80 + struct.pack("<I", len(faces)) + b"".join(
        b"\0" * 12 + triangle + b"\0\0" for triangle in triangles)


def glb(vertices, groups):
    indices = b"".join(struct.pack("<3I", *face) for group in groups for face in group)
    positions = b"".join(struct.pack("<3f", *v) for v in vertices)
    low, high = ([f(v[i] for v in vertices) for i in range(3)] for f in (min, max))
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"byteLength": len(positions) + len(indices)}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": len(positions)},
            {"buffer": 0, "byteOffset": len(positions), "byteLength": len(indices)}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(vertices), "type": "VEC3", "min": low,
             "max": high},
            {"bufferView": 1, "componentType": 5125, "count": len(indices) // 4, "type": "SCALAR"}]}
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    data = positions + indices
    size = 12 + 8 + len(text) + 8 + len(data)
    return struct.pack("<4sII", b"glTF", 2, size) + struct.pack("<I4s", len(text), b"JSON") + text + (
        struct.pack("<I4s", len(data), b"BIN\0") + data)


# Each takes a sound scan and gives the ending of its name with bytes that are of no use.
DAMAGES = {
    "empty": lambda v, g, r: ("obj", b""),
    "nothing but remarks": lambda v, g, r: ("obj", b"# exported, nothing selected\n"),
    "index beyond the vertices": lambda v, g, r: ("obj", obj(v, g) + b"f 1 2 99999999\n"),
    "words for numbers": lambda v, g, r: ("obj", obj(v, g).replace(b"v 0.0000 ", b"v zero ", 1)),
    "cut-off PLY": lambda v, g, r: ("ply", ply(v, g)[:-len(g[0]) * 5]),
    "PLY that promises too much": lambda v, g, r: (
        "ply", ply(v, g).replace(b"element face ", b"element face 99999", 1)),
    "a web page": lambda v, g, r: ("ply", b"<!DOCTYPE html><title>404 Not Found</title>"),
    "cut-off GLB": lambda v, g, r: ("glb", glb(v, g)[:-1000]),
    "noise": lambda v, g, r: ("glb", r.randbytes(4000)),
    "cut-off STL": lambda v, g, r: ("stl", stl(v, g)[:-333]),
    "a name that climbs out": lambda v, g, r: ("obj", obj(v, g)),
}


def make(folder, count):
    """Writes scans.tar.zst and bad.json, the names of the damaged scans with what is wrong."""
    rng, bad = random.Random(4), {}
    archive = folder / "scans.tar"
    every = max(1, count // max(1, round(count * 0.02)))
    with tarfile.open(archive, "w") as tar:
        def add(name, data):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime = len(data), 1_700_000_000
            tar.addfile(entry, io.BytesIO(data))

        for number in range(count):
            vertices, groups = room(rng, rng.randrange(10, 26))
            name = f"day{number // 100:02}/scan{number:05}"
            if number % every == every - 1:
                ways = list(DAMAGES)
                way = ways[number // every % len(ways)]
                ending, data = DAMAGES[way](vertices, groups, rng)
                if way == "a name that climbs out":
                    name = "../" * 3 + name
                bad[f"{name}.{ending}"] = way
                add(f"{name}.{ending}", data)
                continue
            kind = number % 5
            if kind == 0:
                add(f"{name}.obj", obj(vertices, groups))
            elif kind == 1:
                add(f"{name}.mtl", mtl())
                add(f"{name}.obj", obj(vertices, groups, f"scan{number:05}"))
            elif kind == 2:
                add(f"{name}.ply", ply(vertices, groups))
            elif kind == 3:
                add(f"{name}.stl", stl(vertices, groups))
            else:
                add(f"{name}.glb", glb(vertices, groups))
    subprocess.run(["zstd", "-q", "-f", "--rm", str(archive)], check=True)
    (folder / "bad.json").write_text(json.dumps(bad, indent=1))


class Watch(threading.Thread):
    """Samples the resident memory of a process, and of all beneath it."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.own, self.tree = pid, [], []

    def run(self):
        while True:
            resident, parents = {}, {}
            for entry in pathlib.Path("/proc").iterdir():
                if not entry.name.isdigit():
                    continue
                try:
                    fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
                    resident[int(entry.name)] = int(fields[21]) * 4096 / 1e6
                    parents[int(entry.name)] = int(fields[1])
                except (OSError, IndexError):
                    continue
            if self.pid not in resident:
                return
            family, grown = {self.pid}, True
            while grown:
                more = {child for child, parent in parents.items() if parent in family} - family
                grown = bool(more)
                family |= more
            self.own.append(resident[self.pid])
            self.tree.append(sum(resident.get(pid, 0) for pid in family))
            time.sleep(0.2)


def run(command, watch=False):
    """Exit code, wall and CPU seconds of a whole process tree, and its samples of memory."""
    start = time.monotonic()
    with open(os.devnull, "w") as nothing:
        process = subprocess.Popen(command, stdout=nothing, stderr=subprocess.PIPE, text=True)
    sampler = Watch(process.pid)
    if watch:
        sampler.start()
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, time.monotonic() - start, usage.ru_utime + usage.ru_stime, sampler, errors


def digests(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*.glb")) if ".meshpipe" not in str(path)}


def batch(meshpipe, folder, output, *options):
    return [meshpipe, "batch", str(HERE.parent / "pipelines" / "web.json"), str(folder / "scans.tar.zst"),
            "-o", str(output) + "/{folder}/{stem}.glb", *options]


def convert(meshpipe, folder, count):
    output = folder / "whole"
    shutil.rmtree(output, ignore_errors=True)
    report = folder / "whole.json"
    code, wall, cpu, sampler, errors = run(
        batch(meshpipe, folder, output, "--report", str(report)), watch=True)
    bad = json.loads((folder / "bad.json").read_text())
    made = digests(output)
    told = json.dumps(json.loads(report.read_text()))
    unnamed = [name for name in bad if name.lstrip("./") not in told]
    third = len(sampler.own) // 3 or 1
    print(f"exit code {code}; {len(made)} of {count - len(bad)} sound scans; {len(unnamed)} of {len(bad)} "
          f"damaged ones not named {unnamed[:3]}")
    print(f"{wall:.1f} s of wall time, {cpu:.1f} CPU s: {cpu / wall / os.cpu_count():.0%} of "
          f"{os.cpu_count()} cores busy; {1000 * wall / count:.1f} ms an item")
    for name, values in (("parent", sampler.own), ("all processes", sampler.tree)):
        first, last = values[:third], values[-third:]
        print(f"resident memory of {name}: {max(values):.0f} MB at most, median of the first third "
              f"{statistics.median(first):.0f}, of the last {statistics.median(last):.0f}")
    return made


def convert_with_kills(meshpipe, folder, whole):
    output = folder / "killed"
    shutil.rmtree(output, ignore_errors=True)
    rng = random.Random()
    for part in (1, 2):
        process = subprocess.Popen(batch(meshpipe, folder, output, "--resume"), stderr=subprocess.DEVNULL)
        wanted = (part - rng.random()) / 3 * len(whole)
        while process.poll() is None and sum(1 for _ in output.glob("day*/*.glb")) < wanted:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        print(f"killed after {len(digests(output))} outputs")
    code, *_ = run(batch(meshpipe, folder, output, "--resume"))
    made = digests(output)
    left = [str(p) for p in output.rglob(".meshpipe-*") if p.parent != output]
    same = sum(made.get(name) == digest for name, digest in whole.items())
    print(f"resumed: exit code {code}, {len(made)} outputs, {same} of {len(whole)} byte-identical, "
          f"{len(left)} leftovers")


def compare(meshpipe, folder, runs):
    if not shutil.which("parallel"):
        return print("GNU parallel is not installed: no comparison")
    files = folder / "files"
    shutil.rmtree(files, ignore_errors=True)
    files.mkdir()
    subprocess.run(["tar", "--zstd", "-xf", str(folder / "scans.tar.zst"), "-C", str(files)],
                   stderr=subprocess.DEVNULL)
    scans = sorted(str(p) for p in files.rglob("*") if p.suffix in (".obj", ".ply", ".stl", ".glb"))
    (folder / "list.txt").write_text("\n".join(scans))
    pipeline = str(HERE.parent / "pipelines" / "web.json")
    jobs = {
        "batch, the archive": lambda out: batch(meshpipe, folder, out),
        "batch, the files": lambda out: [
            meshpipe, "batch", pipeline, str(files), "-o", str(out) + "/{folder}/{stem}.glb"],
        "GNU parallel, the files": lambda out: [
            "parallel", "--will-cite", f"-j{os.cpu_count()}", "-a", str(folder / "list.txt"), meshpipe, "run",
            pipeline, "{}", "-j1", "-o", str(out) + "/"],
    }
    figures = {name: [] for name in jobs}
    for _ in range(runs):
        for name, command in jobs.items():
            out = folder / "timed"
            shutil.rmtree(out, ignore_errors=True)
            _, wall, cpu, *_ = run(command(out))
            figures[name].append((wall, cpu))
    base = statistics.median(w for w, _ in figures["batch, the archive"])
    print("| how | wall s, median | CPU s | times |\n|---|---|---|---|")
    for name, rows in figures.items():
        wall, cpu = (statistics.median(column) for column in zip(*rows))
        print(f"| {name} | {wall:.1f} | {cpu:.1f} | {wall / base:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("meshpipe")
    parser.add_argument("--scans", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", type=pathlib.Path, default=HERE / "work" / "batch")
    arguments = parser.parse_args()
    meshpipe = str(pathlib.Path(arguments.meshpipe).resolve())
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "scans.tar.zst").exists():
        make(folder, arguments.scans)
    whole = convert(meshpipe, folder, arguments.scans)
    convert_with_kills(meshpipe, folder, whole)
    if arguments.runs:
        compare(meshpipe, folder, arguments.runs)


if __name__ == "__main__":
    sys.exit(main())
