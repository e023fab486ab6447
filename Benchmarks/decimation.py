"""Thins a mesh with meshpipe's three qualities and with peers, and prints a table of time and error.

    python3 Benchmarks/decimation.py MESHPIPE MESH [--ratio 0.1] [--runs 3] [--plot decimation.png] [--relative]

The mesh is a file that trimesh reads. Needs numpy, trimesh and Open3D, which measures, and of the peers
whichever are installed: fast-simplification, PyMeshLab, and meshoptimizer's shared library (Debian's
libmeshoptimizer-dev; --meshoptimizer names the file when the linker does not find it).

Mean error: half a million points on each of both surfaces, the mean distance to the other one. Turned:
faces that look against the face of the original nearest to their middle. With --relative errors are given in
millionths of the diagonal of the mesh's bounds, for meshes that are not in metres. Seconds: CPU time of the
algorithm alone; for meshpipe what a run takes longer than one that does not thin, reading and writing in
both, so that it counts what is spent on attributes too.
"""
import argparse
import ctypes
import ctypes.util
import json
import multiprocessing
import os
import pathlib
import statistics
import sys
import tempfile
import time

import numpy as np

import measure

SAMPLES = 500_000


def read(path):
    import trimesh

    mesh = trimesh.load(path, process=False, force="mesh")
    return welded(np.asarray(mesh.vertices, np.float32), np.asarray(mesh.faces, np.uint32))


def welded(vertices, faces):
    """One vertex for each place, without faces that have one twice."""
    vertices, number = np.unique(np.ascontiguousarray(vertices), axis=0, return_inverse=True)
    faces = number.reshape(-1)[faces].astype(np.uint32)
    a, b, c = faces.T
    return vertices.astype(np.float32), faces[(a != b) & (b != c) & (c != a)]


# MARK: what is measured

def area_vectors(vertices, faces):
    a, b, c = (vertices[faces[:, corner]].astype(float) for corner in range(3))
    return np.cross(b - a, c - a)


def points_on(vertices, faces, seed):
    random = np.random.default_rng(seed)
    ends = np.cumsum(np.linalg.norm(area_vectors(vertices, faces), axis=1))
    chosen = np.searchsorted(ends, random.random(SAMPLES) * ends[-1]).clip(max=len(faces) - 1)
    root, part = np.sqrt(random.random((SAMPLES, 1))), random.random((SAMPLES, 1))
    a, b, c = (vertices[faces[chosen, corner]].astype(float) for corner in range(3))
    return (a * (1 - root) + b * root * (1 - part) + c * root * part).astype(np.float32)


def tracer(vertices, faces):
    import open3d

    scene = open3d.t.geometry.RaycastingScene()
    scene.add_triangles(open3d.core.Tensor(vertices), open3d.core.Tensor(faces))
    return scene


def borders(vertices, faces):
    """The length of the open borders, and the number of edges with more than two faces."""
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    edges, counts = np.unique(edges.astype(np.uint64) @ [1 << 32, 1], return_counts=True)
    single = edges[counts == 1].astype(np.uint64)
    ends = vertices[(single >> 32).astype(int)] - vertices[(single & 0xFFFFFFFF).astype(int)]
    return float(np.linalg.norm(ends.astype(float), axis=1).sum()), int((counts > 2).sum())


def score(original, result):
    import open3d

    vertices, faces = welded(*result)
    before, after = tracer(*original), tracer(vertices, faces)
    there = after.compute_distance(open3d.core.Tensor(points_on(*original, 1))).numpy()
    back = before.compute_distance(open3d.core.Tensor(points_on(vertices, faces, 2))).numpy()
    middles = vertices[faces].mean(axis=1, dtype=float).astype(np.float32)
    below = before.compute_closest_points(open3d.core.Tensor(middles))["primitive_ids"].numpy()
    agreement = (area_vectors(vertices, faces) * area_vectors(*original)[below]).sum(axis=1)
    length, complex_edges = borders(vertices, faces)
    return {
        "faces": len(faces), "error": float(there.mean() + back.mean()) / 2,
        "turned": int((agreement < 0).sum()), "complex": complex_edges, "border": length,
    }


# MARK: the programs

def fast_simplification(vertices, faces, target):
    import fast_simplification

    faces = faces.astype(np.int32)
    reduction = 1 - target / len(faces)
    return lambda: fast_simplification.simplify(vertices, faces, target_reduction=reduction)


def open3d(vertices, faces, target):
    import open3d

    mesh = open3d.geometry.TriangleMesh(
        open3d.utility.Vector3dVector(vertices), open3d.utility.Vector3iVector(faces.astype(np.int32)))

    def run():
        result = mesh.simplify_quadric_decimation(target)
        return np.asarray(result.vertices, np.float32), np.asarray(result.triangles, np.uint32)
    return run


def pymeshlab(vertices, faces, target):
    import pymeshlab

    meshes = pymeshlab.MeshSet()
    meshes.add_mesh(pymeshlab.Mesh(vertices.astype(float), faces.astype(np.int32)))

    def run():
        meshes.meshing_decimation_quadric_edge_collapse(
            targetfacenum=target, preserveboundary=True, preservenormal=True)
        mesh = meshes.current_mesh()
        return mesh.vertex_matrix().astype(np.float32), mesh.face_matrix().astype(np.uint32)
    return run


def meshoptimizer(vertices, faces, target, path):
    library = ctypes.CDLL(path)
    library.meshopt_simplify.restype = ctypes.c_size_t
    indices, vertices = np.ascontiguousarray(faces.reshape(-1)), np.ascontiguousarray(vertices)
    kept = np.empty_like(indices)

    def run():
        size, pointer = ctypes.c_size_t, ctypes.c_void_p
        count = library.meshopt_simplify(
            pointer(kept.ctypes.data), pointer(indices.ctypes.data), size(len(indices)),
            pointer(vertices.ctypes.data), size(len(vertices)), size(12), size(3 * target),
            ctypes.c_float(1e9), ctypes.c_uint(0), None)
        return vertices, kept[:count].reshape(-1, 3)
    return run


def peer_worker(queue, prepare, arguments):
    try:
        run = prepare(*arguments)
    except (ImportError, OSError, TypeError) as error:
        return queue.put(error)
    start = time.process_time()
    result = run()
    queue.put((time.process_time() - start, result))


def peer(prepare, *arguments):
    """CPU seconds and the result, or None when the program is not installed; in its own process."""
    queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=peer_worker, args=(queue, prepare, arguments))
    process.start()
    outcome = queue.get()
    process.join()
    if isinstance(outcome, Exception):
        print(f"{prepare.__name__}: left out: {outcome}", file=sys.stderr)
        return None
    return outcome


def meshpipe(program, mesh, folder, stage, threads=None):
    """CPU seconds of a whole run and wall seconds of its stages."""
    output, report = folder / "out.ply", folder / "report.json"
    command = [program, "run", mesh, "-o", str(output), "--force", "--report", str(report)]
    command += ["-s", stage] if stage else []
    command += ["-j", str(threads)] if threads else []
    seconds = measure.run(command).cpu
    return seconds, sum(stage["seconds"] for stage in json.loads(report.read_text())["stages"])


def rows(options):
    original = read(options.mesh)
    target = round(len(original[1]) * options.ratio)
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        lines = {"": "borders,seams", ", classes kept": "borders,classification,seams"}
        for name, preserve in lines.items():
            for quality in ("fast", "balanced", "best"):
                stage = f"decimate faces={options.ratio:%} quality={quality} preserve={preserve}"
                times, alone, both = [], [], []
                for _ in range(options.runs):
                    plain = meshpipe(options.program, options.mesh, folder, None)[0]
                    times.append(meshpipe(options.program, options.mesh, folder, stage)[0] - plain)
                    both.append(meshpipe(options.program, options.mesh, folder, stage)[1])
                    alone.append(meshpipe(options.program, options.mesh, folder, stage, 1)[1])
                row = score(original, read(folder / "out.ply"))
                row["seconds"], row["speedup"] = statistics.median(times), min(alone) / min(both)
                # A mesh without classes keeps none.
                if row["error"] != result.get(f"meshpipe {quality}", {}).get("error"):
                    result[f"meshpipe {quality}{name}"] = row
    path = options.meshoptimizer or ctypes.util.find_library("meshoptimizer")
    programs = {
        "meshoptimizer": (meshoptimizer, *original, target, path),
        "fast-simplification": (fast_simplification, *original, target),
        "Open3D": (open3d, *original, target),
        "PyMeshLab, borders preserved": (pymeshlab, *original, target),
    }
    for name, arguments in programs.items():
        # The slow ones take so long that one run says enough.
        runs = [outcome for _ in range(options.runs if "-" in name or "opt" in name else 1)
                if (outcome := peer(*arguments))]
        if runs:
            result[name] = score(original, runs[0][1])
            result[name]["seconds"] = statistics.median(run[0] for run in runs)
    return original, result


def plot(result, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4), dpi=90)
    for name, row in result.items():
        if "classes" in name:
            continue
        color = "tab:red" if name.startswith("meshpipe") else "tab:gray"
        axes.scatter(row["seconds"], 1000 * row["error"], color=color)
        axes.annotate(name, (row["seconds"], 1000 * row["error"]), xytext=(5, 4), textcoords="offset points", size=8)
    axes.set(xscale="log", xlabel="CPU seconds", ylabel="mean error / mm")
    axes.margins(x=0.25, y=0.12)
    axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("mesh")
    parser.add_argument("--ratio", type=float, default=0.1)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--relative", action="store_true")
    parser.add_argument("--meshoptimizer")
    parser.add_argument("--plot")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    original, result = rows(options)
    length, complex_edges = borders(*original)
    scale, unit, of_length = 1000, "mm", " m"
    if options.relative:
        scale, unit, of_length = 1e6 / np.linalg.norm(np.ptp(original[0], axis=0)), "ppm", ""
    print(f"{len(original[1])} faces, {complex_edges} non-manifold edges, {length:.3f}{of_length} of borders\n")
    print(f"| program | CPU s | 2 cores | mean error {unit} | turned | non-manifold | border |")
    print("|---|---|---|---|---|---|---|")
    for name, row in result.items():
        speedup = f"× {row['speedup']:.2f}" if "speedup" in row else "–"
        border = f"{100 * (row['border'] / length - 1):+.2f} %" if length else "–"
        print(f"| {name} | {row['seconds']:.2f} | {speedup} | {scale * row['error']:.3f} | "
              f"{row['turned']} | {row['complex']} | {border} |")
    if options.plot:
        plot(result, options.plot)


if __name__ == "__main__":
    main()
