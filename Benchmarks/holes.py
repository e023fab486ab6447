#!/usr/bin/env python3
"""Cuts holes into a model and compares what closes them with what was there.

Usage: holes.py MESHPIPE MODEL [HOLES]

Of each program: the faces that it added, whether the result is closed, how far points on the new faces are from
the model (in per cent of its extent), and the seconds of the whole process or, for libraries, of the call.
Then meshpipe alone on 10,000 holes in a million faces. Needs trimesh, scipy, rtree, pymeshlab and pymeshfix.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import pymeshfix
import pymeshlab
import trimesh

os.environ["MESHPIPE_CACHE"] = "none"  # each run does all of its work


def cut(model, count, seed=5):
    """The model without the faces around some of its vertices, within 5 % of its extent."""
    centers = model.vertices[np.random.default_rng(seed).choice(len(model.vertices), count, replace=False)]
    keep = np.ones(len(model.faces), bool)
    for center in centers:
        keep &= np.linalg.norm(model.triangles_center - center, axis=1) > 0.05 * model.extents.max()
    return model.submesh([keep], append=True)


def terrain(cells=710):
    """Waves with a hole of 4.4 cells in each square of 7.1 cells."""
    x, y = np.meshgrid(np.arange(cells + 1.0), np.arange(cells + 1.0))
    vertices = np.c_[x.ravel(), y.ravel(), wave(x, y).ravel()]
    first = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    faces = np.stack(
        [np.c_[first, first + 1, first + cells + 1], np.c_[first + 1, first + cells + 2, first + cells + 1]], 1
    ).reshape(-1, 3)
    middle = vertices[faces].mean(1)
    keep = np.hypot(middle[:, 0] % 7.1 - 3.5, middle[:, 1] % 7.1 - 3.5) > 2.2
    return trimesh.Trimesh(vertices, faces[keep], process=False)


def wave(x, y):
    return 2 * np.sin(x / 17) * np.cos(y / 23)


def report(name, mesh, first, model, seconds):
    """Prints a row; new faces begin at `first`."""
    points, _ = trimesh.sample.sample_surface(
        trimesh.Trimesh(mesh.vertices, mesh.faces[first:], process=False), 4000, seed=1)
    row(name, len(mesh.faces) - first, mesh, points, model, seconds)


def row(name, added, mesh, points, model, seconds):
    distance = trimesh.proximity.closest_point(model, points)[1] / model.extents.max() * 100
    closed = "yes" if mesh.is_watertight else "no"
    print(f"| {name} | {added} | {closed} | {distance.mean():.3f} | {np.percentile(distance, 90):.2f} | {seconds:.2f} |")


def fill(meshpipe, source, target, *options):
    """Runs fill-holes; returns its seconds and report."""
    log = target + ".json"
    start = time.time()
    subprocess.run(
        [meshpipe, "run", source, "-s", " ".join(["fill-holes", *options]), "-o", target, "--report", log],
        check=True, stderr=subprocess.DEVNULL)
    seconds = time.time() - start
    stages = json.load(open(log))["stages"]
    return seconds, next(stage for stage in stages if stage["use"] == "fill-holes")


def main(meshpipe, path, count="12"):
    meshpipe = os.path.abspath(meshpipe)
    model = trimesh.load(path, force="mesh")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        holes = cut(model, int(count))
        holes.export("holes.ply")
        print("| | new faces | closed | mean % | p90 % | s |\n|---|---|---|---|---|---|")
        for kind in ("smooth", "flat"):
            seconds, _ = fill(meshpipe, "holes.ply", kind + ".ply", "maximumSize=50%", "fill=" + kind)
            report("meshpipe " + kind, trimesh.load(kind + ".ply", process=False), len(holes.faces), model, seconds)
        length = pymeshlab.PureValue(holes.edges_unique_length.mean())
        for name, options in (
            ("PyMeshLab", {}), ("PyMeshLab, refined", {"refinehole": True, "refineholeedgelen": length})):
            meshes = pymeshlab.MeshSet()
            meshes.load_new_mesh("holes.ply")
            start = time.time()
            meshes.meshing_close_holes(maxholesize=1000, **options)
            seconds = time.time() - start
            mesh = meshes.current_mesh()
            mesh = trimesh.Trimesh(mesh.vertex_matrix(), mesh.face_matrix(), process=False)
            report(name, mesh, len(holes.faces), model, seconds)
        start = time.time()
        fix = pymeshfix.MeshFix(holes.vertices.copy(), holes.faces.copy())
        fix.repair()
        seconds = time.time() - start
        mesh = trimesh.Trimesh(fix.points, fix.faces, process=False)
        points, _ = trimesh.sample.sample_surface(mesh, 60000, seed=1)
        # It reorders faces: new is what is away from the input.
        away = trimesh.proximity.closest_point(holes, points)[1] > 0.002 * model.extents.max()
        row("pymeshfix", len(mesh.faces) - len(holes.faces), mesh, points[away], model, seconds)

        waves = terrain()
        waves.export("waves.ply")
        for kind in ("smooth", "flat"):
            seconds, stage = fill(meshpipe, "waves.ply", "filled.ply", "maximumSize=20%", "fill=" + kind)
            new = trimesh.load("filled.ply", process=False).vertices[len(waves.vertices):]
            error = np.abs(new[:, 2] - wave(new[:, 0], new[:, 1])).max() if len(new) else float("nan")
            print(f"\n{kind}: {stage['notes']['filledHoles']} holes in {stage['seconds']:.1f} s (command {seconds:.1f}), "
                  f"{stage['peakMemoryBytes'] / 1e6:.0f} MB, new vertices off by at most {error:.4f} cells")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
