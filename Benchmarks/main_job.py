"""Times the main job as whole processes, meshpipe and its peers in turn, and prints a table.

    python3 Benchmarks/main_job.py MESHPIPE [RUNS]

The job: read an OBJ of about a million faces in classes, drop wall and ceiling, keep a tenth of the
faces, turn to Z up, write GLB. The input is the sample scan, each face divided into sixteen, with a
millimetre of noise. Needs numpy, and of the peers whichever are installed: trimesh with
fast-simplification, Open3D, PyMeshLab. Medians and ratios count, single times do not.
"""
import multiprocessing
import os
import pathlib
import statistics
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
INPUT = HERE / "inputs" / "room_1m.obj"
WORK = HERE / "work"


def read_sample():
    vertices, faces, labels, names = [], [], [], []
    for line in (HERE.parent / "samples" / "living-room.obj").read_text().splitlines():
        key, *words = line.split()
        if key == "v":
            vertices.append([float(word) for word in words])
        elif key == "g":
            names.append(words[0])
        elif key == "f":
            faces.append([int(word) - 1 for word in words])
            labels.append(len(names) - 1)
    return np.array(vertices), np.array(faces), np.array(labels), names


def divided(vertices, faces, labels):
    """Each face into four by the midpoints of its edges; faces that share an edge share its midpoint."""
    sides = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]], axis=2).reshape(-1, 2)
    edges, of_side = np.unique(sides, axis=0, return_inverse=True)
    middle = len(vertices) + of_side.reshape(-1, 3)
    vertices = np.concatenate([vertices, vertices[edges].mean(axis=1)])
    a, b, c = faces.T
    ab, bc, ca = middle.T
    parts = np.stack([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]])
    return vertices, parts.transpose(2, 0, 1).reshape(-1, 3), np.repeat(labels, 4)


def make_input():
    vertices, faces, labels, names = read_sample()
    for _ in range(2):
        vertices, faces, labels = divided(vertices, faces, labels)
    vertices += np.random.default_rng(1).normal(0, 0.001, vertices.shape)
    INPUT.parent.mkdir(exist_ok=True)
    with INPUT.open("w") as file:
        np.savetxt(file, vertices, "v %.4f %.4f %.4f")
        for label, name in enumerate(names):
            file.write(f"g {name}\n")
            np.savetxt(file, faces[labels == label] + 1, "f %d %d %d")


def commands(meshpipe):
    stages = ["filter-classification drop=wall,ceiling", "decimate target=10%", "convert-axes up=z"]
    options = [word for stage in stages for word in ("-s", stage)]
    result = {"meshpipe": [meshpipe, "run", str(INPUT), *options, "-o", str(WORK / "meshpipe.glb")]}
    peers = {
        "trimesh + fast-simplification": ("trimesh_fast_simplification", "fast_simplification"),
        "Open3D": ("open3d_main_job", "open3d"),
        "PyMeshLab": ("pymeshlab_main_job", "pymeshlab"),
    }
    for name, (script, module) in peers.items():
        if subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode:
            print(f"{name}: not installed, left out", file=sys.stderr)
            continue
        output = str(WORK / f"{script}.glb")
        result[name] = [sys.executable, str(HERE / "peers" / f"{script}.py"), str(INPUT), output]
    return result


def run(command):
    """CPU seconds and peak memory in MB of a whole process."""
    with open(os.devnull, "w") as nothing:
        process = subprocess.Popen(command, stdout=nothing, stderr=nothing)
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"failed: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    meshpipe = str(pathlib.Path(sys.argv[1]).resolve())
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    WORK.mkdir(exist_ok=True)
    if not INPUT.exists():
        # In a process of its own: the peak of a program counts what its parent held when it was forked.
        maker = multiprocessing.Process(target=make_input)
        maker.start()
        maker.join()
    jobs = commands(meshpipe)
    figures = {name: [] for name in jobs}
    for _ in range(runs):
        for name, command in jobs.items():
            figures[name].append(run(command))
    ours = [statistics.median(column) for column in zip(*figures["meshpipe"])]
    print("| program | CPU s, median (range) | times ours | peak MB | times ours |")
    print("|---|---|---|---|---|")
    for name, rows in figures.items():
        seconds, memory = ([row[column] for row in rows] for column in (0, 1))
        time, peak = statistics.median(seconds), statistics.median(memory)
        spread = f"{min(seconds):.2f}–{max(seconds):.2f}"
        print(f"| {name} | {time:.2f} ({spread}) | {time / ours[0]:.1f} | {peak:.0f} | {peak / ours[1]:.1f} |")


if __name__ == "__main__":
    main()
