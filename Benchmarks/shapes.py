#!/usr/bin/env python3
"""Finds shapes in points with noise and outliers, and planes in the mesh of a room, beside Open3D and pyransac3d.

Usage: shapes.py MESHPIPE [--seeds FIRST LAST] [--mesh MESH]

For each kind: points on a shape of random size and pose with 2 mm of noise, of which 30 % lie anywhere around. Of each program
the finds of the kind, the mean and largest errors of radius (%) and axis (degrees), and CPU seconds per cloud.
With a mesh whose faces have ARKit's classes: the planes and CPU seconds. Needs numpy, open3d and pyransac3d.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time

import numpy as np
import open3d
import pyransac3d

os.environ["MESHPIPE_CACHE"] = "none"  # each run does all of its work

NOISE, OUTLIERS, COUNT = 0.002, 0.3, 20000


def shape(kind, random):
    """Points on a shape, and its radius and axis."""
    turn, _ = np.linalg.qr(random.normal(size=(3, 3)))
    center, axis = random.uniform(-1, 1, 3), turn[:, 2]
    angle, other = random.uniform(0, 2 * np.pi, (2, COUNT))
    radius = random.uniform(0.1, 0.3)
    if kind == "plane":
        local = np.c_[random.uniform(-0.5, 0.5, COUNT), random.uniform(-0.3, 0.3, COUNT), 0 * angle]
        radius = None
    elif kind == "sphere":
        local = random.normal(size=(COUNT, 3))
        local *= radius / np.linalg.norm(local, axis=1)[:, None]
        axis = None
    elif kind == "cylinder":
        local = np.c_[radius * np.cos(angle), radius * np.sin(angle), random.uniform(-0.4, 0.4, COUNT)]
    elif kind == "cone":
        slope = np.tan(np.radians(random.uniform(12, 40)))
        height = np.sqrt(random.uniform(0.04, 0.5, COUNT))
        local = np.c_[slope * height * np.cos(angle), slope * height * np.sin(angle), height]
        radius = None
    else:
        tube = radius * 0.3
        away = radius + tube * np.cos(other)
        local = np.c_[away * np.cos(angle), away * np.sin(angle), tube * np.sin(other)]
    return center + local @ turn.T, radius, axis


def disturbed(points, random):
    points = points + random.normal(size=points.shape) * NOISE
    low, high = points.min(0), points.max(0)
    margin = 0.15 * (high - low).max()
    count = int(len(points) * OUTLIERS / (1 - OUTLIERS))
    strewn = random.uniform(low - margin, high + margin, (count, 3))
    return random.permutation(np.r_[points, strewn])


def meshpipe(program, points, folder):
    path, result = f"{folder}/points.ply", f"{folder}/points.shapes.json"
    header = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n"
    header += "property float x\nproperty float y\nproperty float z\nend_header\n"
    with open(path, "wb") as file:
        file.write(header.encode() + points.astype("<f4").tobytes())
    before = os.times()
    subprocess.run([program, "run", path, "-s", "detect-shapes", "-o", result], check=True)
    after = os.times()
    seconds = after.children_user + after.children_system - before.children_user - before.children_system
    found = json.load(open(result))["shapes"]
    first = found[0] if found else {"kind": "none"}
    axis = first.get("axis", first.get("normal"))
    return (first["kind"], len(found)), first.get("radius"), axis, seconds


def ransac(kind, points):
    """pyransac3d, which is told the kind."""
    np.random.seed(1)
    import random
    random.seed(1)
    start = time.process_time()
    if kind == "plane":
        equation, _ = pyransac3d.Plane().fit(points, 3 * NOISE, maxIteration=1000)
        radius, axis = None, equation[:3]
    elif kind == "sphere":
        _, radius, _ = pyransac3d.Sphere().fit(points, 3 * NOISE, maxIteration=1000)
        axis = None
    else:
        _, axis, radius, _ = pyransac3d.Cylinder().fit(points, 3 * NOISE, maxIteration=1000)
    return (kind, 1), radius, axis, time.process_time() - start


def segment(points):
    """Open3D, for one plane."""
    open3d.utility.random.seed(1)
    cloud = open3d.geometry.PointCloud(open3d.utility.Vector3dVector(points))
    start = time.process_time()
    plane, _ = cloud.segment_plane(3 * NOISE, 3, 1000)
    return ("plane", 1), None, plane[:3], time.process_time() - start


def row(name, kind, results):
    right = [(r, t) for r, t in results if r[0] == (kind, 1)]
    text = f"| {kind} | {name} | {len(right)} of {len(results)} "
    radii = [100 * abs(abs(r[1]) / t[0] - 1) for r, t in right if t[0] and r[1]]
    axes = []
    for r, t in right:
        if t[1] is not None:
            unit = np.asarray(r[2]) / np.linalg.norm(r[2])
            axes.append(np.degrees(np.arcsin(min(1, np.linalg.norm(np.cross(unit, t[1]))))))
    for errors in radii, axes:
        text += f"| {np.mean(errors):.3f} | {max(errors):.3f} " if errors else "| | "
    print(text + f"| {np.mean([r[3] for r, _ in results]):.2f} |", flush=True)


def planes(program, path, folder):
    """Planes of a mesh: those of meshpipe, and of Open3D on points of it."""
    before = os.times()
    result = f"{folder}/mesh.shapes.json"
    subprocess.run([program, "run", path, "-s", "detect-shapes kinds=plane", "-o", result], check=True)
    after = os.times()
    seconds = after.children_user + after.children_system - before.children_user - before.children_system
    print(f"\nmeshpipe: {len(json.load(open(result))['shapes'])} planes, {seconds:.2f} CPU s with reading")
    mesh = open3d.io.read_triangle_mesh(path)
    start = time.process_time()
    mesh.compute_vertex_normals()
    cloud = open3d.geometry.PointCloud(mesh.vertices)
    cloud.normals = mesh.vertex_normals
    patches = cloud.detect_planar_patches(
        normal_variance_threshold_deg=60, coplanarity_deg=75, outlier_ratio=0.75,
        search_param=open3d.geometry.KDTreeSearchParamKNN(knn=30))
    print(f"Open3D detect_planar_patches: {len(patches)} planes, {time.process_time() - start:.2f} CPU s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("meshpipe")
    parser.add_argument("--seeds", nargs=2, type=int, default=[100, 110])
    parser.add_argument("--mesh")
    arguments = parser.parse_args()
    print("| kind | program | found | radius % | max | axis ° | max | CPU s |\n|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for kind in ["plane", "sphere", "cylinder", "cone", "torus"]:
            results = {}
            for seed in range(*arguments.seeds):
                random = np.random.default_rng(seed)
                points, *truth = shape(kind, random)
                points = disturbed(points, random)
                results.setdefault("**meshpipe**", []).append((meshpipe(arguments.meshpipe, points, folder), truth))
                if kind in ["plane", "sphere", "cylinder"]:
                    results.setdefault("pyransac3d", []).append((ransac(kind, points), truth))
                if kind == "plane":
                    results.setdefault("Open3D", []).append((segment(points), truth))
            for name, all_results in results.items():
                row(name, kind, all_results)
        if arguments.mesh:
            planes(arguments.meshpipe, arguments.mesh, folder)


if __name__ == "__main__":
    main()
