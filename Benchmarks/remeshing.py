"""Remeshes models to the same number of faces with meshpipe, PyMeshLab and, where given, CGAL.

Usage: remeshing.py MESHPIPE MODEL... [--cgal PROGRAM]

Of each result: faces; the mean and the smallest of the smallest angles of faces, in degrees, and the share of faces
below 30; the spread of the edges (standard deviation through mean); the distance between points on the result and
the model, the larger of both directions, mean and maximum, in per cent of the extent; seconds: of meshpipe by the clock,
as its report has them, of the others CPU seconds of the call; meshpipe's peak of memory.
Lengths of peers are found by trial, so that they have as many faces.
PROGRAM is called as PROGRAM IN.off OUT.off LENGTH ITERATIONS and prints its seconds. Needs trimesh, open3d, pymeshlab.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import open3d
import pymeshlab
import trimesh

os.environ["MESHPIPE_CACHE"] = "none"  # each run does all of its work


def angles(mesh):
    """The smallest angle of each face, in degrees."""
    corners = mesh.vertices[mesh.faces]
    found = []
    for corner in range(3):
        a = corners[:, (corner + 1) % 3] - corners[:, corner]
        b = corners[:, (corner + 2) % 3] - corners[:, corner]
        found.append(np.arctan2(np.linalg.norm(np.cross(a, b), axis=1), (a * b).sum(1)))
    return np.degrees(np.min(found, 0))


def distances(source, target):
    scene = open3d.t.geometry.RaycastingScene()
    scene.add_triangles(
        open3d.core.Tensor(target.vertices.astype(np.float32)), open3d.core.Tensor(target.faces.astype(np.uint32)))
    points, _ = trimesh.sample.sample_surface(source, 100_000, seed=1)
    return scene.compute_distance(open3d.core.Tensor(points.astype(np.float32))).numpy()


def row(name, mesh, model, seconds, megabytes=None):
    smallest = angles(mesh)
    edges = np.linalg.norm(np.diff(mesh.vertices[mesh.edges_unique], axis=1)[:, 0], axis=1)
    both = [distances(mesh, model), distances(model, mesh)]
    per_cent = 100 / model.extents.max()
    memory = f"{megabytes:.0f}" if megabytes else "–"
    print(
        f"| {name} | {len(mesh.faces):,} | {smallest.mean():.1f} | {smallest.min():.1f} | {100 * (smallest < 30).mean():.2f} "
        f"| {edges.std() / edges.mean():.2f} | {max(d.mean() for d in both) * per_cent:.4f} "
        f"| {max(d.max() for d in both) * per_cent:.2f} | {seconds:.2f} | {memory} |", flush=True)


def meshpipe_run(meshpipe, options):
    subprocess.run(
        [meshpipe, "run", "model.ply", "-s", " ".join(["remesh", *options]), "-o", "result.ply", "--report", "log.json"],
        check=True, stderr=subprocess.DEVNULL)
    stages = json.load(open("log.json"))["stages"]
    stage = next(stage for stage in stages if stage["use"] == "remesh")
    return trimesh.load("result.ply", process=False), stage


def pymeshlab_run(model, length):
    meshes = pymeshlab.MeshSet()
    meshes.add_mesh(pymeshlab.Mesh(model.vertices, model.faces))
    start = time.process_time()
    meshes.meshing_isotropic_explicit_remeshing(iterations=5, featuredeg=45, targetlen=pymeshlab.PureValue(length))
    seconds = time.process_time() - start
    mesh = meshes.current_mesh()
    return trimesh.Trimesh(mesh.vertex_matrix(), mesh.face_matrix(), process=False), seconds


def cgal_run(program, length):
    run = subprocess.run([program, "model.off", "result.off", str(length), "5"], capture_output=True, text=True, check=True)
    return trimesh.load("result.off", process=False), float(run.stdout.split()[-1])


def matched(run, length, count):
    """Two more runs with lengths by the number of faces of the one before."""
    for _ in range(3):
        mesh, seconds = run(length)
        length *= (len(mesh.faces) / count) ** 0.5
    return mesh, seconds


def main(meshpipe, paths, cgal):
    meshpipe = os.path.abspath(meshpipe)
    cgal = cgal and os.path.abspath(cgal)
    paths = [os.path.abspath(path) for path in paths]
    for path in paths:
        model = trimesh.load(path, force="mesh", process=False)
        model.merge_vertices(merge_tex=True, merge_norm=True)
        model = trimesh.Trimesh(model.vertices, model.faces, process=False)
        print(f"\n{os.path.basename(path)}, {len(model.faces):,} faces\n")
        print("| | faces | angle | least | < 30° % | edges | mean % | max % | s | MB |\n|---|---|---|---|---|---|---|---|---|---|")
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            model.export("model.ply")
            model.export("model.off")
            for share in (1, 0.25):
                mesh, stage = meshpipe_run(meshpipe, [f"faces={round(share * len(model.faces))}"])
                row(f"**meshpipe**, {share:.0%}", mesh, model, stage["seconds"], stage["peakMemoryBytes"] / 1e6)
                count = len(mesh.faces)
                length = mesh.edges_unique_length.mean()
                row(f"PyMeshLab, {share:.0%}", *_with_model(matched(lambda l: pymeshlab_run(model, l), length, count), model))
                if cgal:
                    row(f"CGAL, {share:.0%}", *_with_model(matched(lambda l: cgal_run(cgal, l), length, count), model))
            os.chdir("/")


def _with_model(result, model):
    mesh, seconds = result
    return mesh, model, seconds


if __name__ == "__main__":
    arguments = sys.argv[1:]
    cgal = None
    if "--cgal" in arguments:
        place = arguments.index("--cgal")
        cgal = arguments[place + 1]
        del arguments[place:place + 2]
    if len(arguments) < 2:
        sys.exit(__doc__)
    main(arguments[0], arguments[1:], cgal)
