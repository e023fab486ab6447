#!/usr/bin/env python3
"""Cuts ragged holes where planes meet, and compares what closes them with the planes.

Usage: plane_holes.py MESHPIPE [SEEDS]

Of each place and program: how many of the holes (default 20) are closed within 1 mm of the planes, without an edge
left open, and the mean over holes of the greatest distance of the new faces. Rooms and boxes of 3 m with edges of 3
to 8 cm, turned at random. Needs trimesh, scipy, rtree, pymeshlab and pymeshfix.
"""

import os
import subprocess
import sys
import tempfile

import numpy as np
import pymeshfix
import pymeshlab
import trimesh
from scipy.spatial import cKDTree

os.environ["MESHPIPE_CACHE"] = "none"  # each run does all of its work

# The outline of floor, wall, sill and window above it: x and height.
STEP = np.array([[0, 0], [2, 0], [2, 0.8], [2.9, 0.8], [2.9, 2.5]])


def rectangle(origin, along, across, cell, jitter, random):
    """A grid whose inner vertices and diagonals are random."""
    counts = [max(1, round(np.linalg.norm(side) / cell)) for side in (along, across)]
    a, b = np.meshgrid(*(np.arange(count + 1.0) for count in counts), indexing="ij")
    inside = (a > 0) & (a < counts[0]) & (b > 0) & (b < counts[1])
    a, b = (place + random.uniform(-jitter, jitter, place.shape) * inside for place in (a, b))
    vertices = origin + (a / counts[0])[..., None] * along + (b / counts[1])[..., None] * across
    number = np.arange(a.size).reshape(a.shape)
    quads = np.stack([number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], -1).reshape(-1, 4)
    quads = np.where(random.random(len(quads))[:, None] < 0.5, quads, np.roll(quads, 1, 1))
    return trimesh.Trimesh(vertices.reshape(-1, 3), quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3), process=False)


def joined(parts):
    mesh = trimesh.util.concatenate(parts)
    mesh.merge_vertices(digits_vertex=6)
    return mesh


def box(size, cell, jitter, random, is_room):
    parts = []
    for axis in range(3):
        along, across = np.roll(np.diag(size), -axis - 1, 0)[:2]
        for side in (0, 1):
            part = rectangle(np.eye(3)[axis] * size[axis] * side, along, across, cell, jitter, random)
            if (side == 0) != is_room:
                part.invert()
            parts.append(part)
    return joined(parts)


def step(cell, jitter, random):
    points = np.c_[STEP[:, 0], np.zeros(len(STEP)), STEP[:, 1]]
    return joined(
        [rectangle(a, b - a, np.array([0, 3.0, 0]), cell, jitter, random) for a, b in zip(points[:-1], points[1:])])


def scene(kind, random):
    """The whole mesh and the middle and half sizes of a hole."""
    cell, jitter = random.uniform(0.03, 0.08), random.uniform(0, 0.3)
    sizes = random.uniform(0.25, 0.7, 3)
    if kind == "under a sill":
        return step(cell, jitter, random), [2, 1.5, 0.4], [random.uniform(0.2, 0.5), sizes[1], 0.9]
    mesh = box(np.array([3, 3, 2.5]), cell, jitter, random, kind.startswith("room"))
    return mesh, {"room, foot of a wall": [1.5, 0, 0], "box, edge": [0, 0, 1.25]}.get(kind, [0, 0, 0]), sizes


def cut(mesh, center, sizes, random):
    """The mesh without the faces in a box or an ellipsoid with a ragged border."""
    places = (mesh.triangles_center - center) / sizes
    radius = np.abs(places).max(1) if random.random() < 0.6 else np.linalg.norm(places, axis=1)
    waves = sum(np.sin(mesh.triangles_center @ random.normal(0, 4, 3) + random.uniform(0, 6)) for _ in range(3)) / 3
    rest = mesh.submesh([radius > 1 + random.uniform(0, 0.35) * waves], append=True)
    return max(rest.split(only_watertight=False), key=lambda part: part.area)


def places(mesh):
    """Points all over a mesh, also of its long edges."""
    return np.concatenate([mesh.vertices, mesh.triangles_center, mesh.vertices[mesh.edges_unique].mean(1)])


def meshpipe(path):
    def close(hole):
        hole.export("hole.ply")
        subprocess.run(
            [path, "run", "hole.ply", "-s", "fill-holes maximumSize=2.4m", "-o", "filled.ply", "--force"], check=True,
            stderr=subprocess.DEVNULL)
        return trimesh.load("filled.ply", process=False)
    return close


def meshlab(hole):
    meshes = pymeshlab.MeshSet()
    meshes.add_mesh(pymeshlab.Mesh(hole.vertices, hole.faces))
    # The scene under a sill has an outer border, too, which is longer.
    loops = [hole.vertices[loop.points] for loop in hole.outline().entities]
    edges = max(len(loop) for loop in loops if np.ptp(loop, axis=0).max() < 2.4)
    meshes.meshing_close_holes(
        maxholesize=edges, refinehole=True, refineholeedgelen=pymeshlab.PureValue(hole.edges_unique_length.mean()))
    mesh = meshes.current_mesh()
    return trimesh.Trimesh(mesh.vertex_matrix(), mesh.face_matrix(), process=False)


def meshfix(hole):
    fix = pymeshfix.MeshFix(hole.vertices.copy(), hole.faces.copy())
    fix.repair()
    return trimesh.Trimesh(fix.points, fix.faces, process=False)


def main(command, seeds="20"):
    programs = {"meshpipe": meshpipe(os.path.abspath(command)), "PyMeshLab, refined": meshlab, "pymeshfix": meshfix}
    kinds = ["room, foot of a wall", "room, corner", "box, edge", "box, corner", "under a sill"]
    results = {name: [] for name in programs}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for kind in kinds:
            distances = {name: [] for name in programs}
            for seed in range(int(seeds)):
                random = np.random.default_rng([seed, kinds.index(kind)])
                whole, center, sizes = scene(kind, random)
                hole = cut(whole, np.array(center), np.array(sizes), random)
                turn = trimesh.transformations.random_rotation_matrix(random.random(3))
                whole.apply_transform(turn)
                hole.apply_transform(turn)
                before = cKDTree(places(hole))
                for name, close in programs.items():
                    mesh = close(hole)
                    all_places = places(mesh)
                    new = all_places[before.query(all_places)[0] > 1e-5]
                    distance = trimesh.proximity.closest_point(whole, new)[1].max() * 1000 if len(new) else np.inf
                    closed = abs(mesh.area - whole.area) < 0.01 * (whole.area - hole.area) + 1e-4 * whole.area
                    distances[name].append(distance if closed or distance > 1 else np.inf)
            for name in programs:
                found = np.array(distances[name])
                results[name].append(f"{(found <= 1).sum()} of {len(found)}, {found[np.isfinite(found)].mean():.1f} mm")
    print("| | " + " | ".join(kinds) + " |\n|" + "---|" * (len(kinds) + 1))
    for name, cells in results.items():
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
