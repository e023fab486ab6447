"""Tells what a mesh is: faces, bounds and area, and the mean distance of its surface from another one's.

    python3 Benchmarks/verify.py [--up y] MESH [ORIGINAL DROPPED,CLASSES]

A process of its own, so that whoever measures stays small. ORIGINAL is an OBJ with Y up and groups, and what
is told has Z up: meshpipe alone writes GLB with Y up, as its standard demands, whatever the scene has.
"""
import argparse
import json

import numpy as np
import trimesh


def load(path):
    mesh = trimesh.load(path, process=False, force="mesh")
    return np.asarray(mesh.vertices, np.float32), np.asarray(mesh.faces, np.uint32)


def load_groups(path, dropped):
    """The vertices, turned to Z up, and the faces that are not of some groups."""
    points, faces, keeps = [], [], True
    with open(path) as lines:
        for line in lines:
            if line.startswith("v "):
                points.append(line[2:])
            elif line.startswith("f ") and keeps:
                faces.append(" ".join(word.split("/")[0] for word in line.split()[1:]))
            elif line.startswith("g "):
                keeps = line[2:].strip() not in dropped
    return turned(np.loadtxt(points, np.float32)), np.loadtxt(faces, np.uint32) - 1


def mean_distance(of, to):
    import open3d

    scene = open3d.t.geometry.RaycastingScene()
    scene.add_triangles(open3d.core.Tensor(to[0]), open3d.core.Tensor(to[1]))
    centres = of[0][of[1]].mean(axis=1, dtype=float).astype(np.float32)
    return float(scene.compute_distance(open3d.core.Tensor(centres)).numpy().mean())


def turned(points):
    return points[:, [0, 2, 1]] * np.float32([1, -1, 1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--up", choices="yz", default="z")
    parser.add_argument("mesh")
    parser.add_argument("original", nargs="?")
    parser.add_argument("dropped", nargs="?", default="")
    options = parser.parse_args()
    mesh = load(options.mesh)
    if options.up == "y":
        mesh = turned(mesh[0]), mesh[1]
    a, b, c = (mesh[0][mesh[1][:, corner]].astype(float) for corner in range(3))
    used = mesh[0][np.unique(mesh[1])]
    facts = {
        "faces": len(mesh[1]), "low": used.min(axis=0).tolist(), "high": used.max(axis=0).tolist(),
        "area": float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)}
    if options.original:
        original = load_groups(options.original, options.dropped.split(","))
        facts["original"] = len(original[1])
        facts["distance"] = mean_distance(mesh, original)
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
