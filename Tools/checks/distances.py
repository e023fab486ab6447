"""Measures the distances from points on one mesh to the surface of another, by trimesh, every face with every point.

    python distances.py FIRST SECOND

Prints mean, root mean square, 95 % and the greatest distance from the first to the second as JSON.
"""

import json
import sys

import numpy
import trimesh


def distances(first, second, count):
    points, _ = trimesh.sample.sample_surface(first, count, seed=7)
    points = numpy.vstack([points, first.vertices])
    found = numpy.empty(len(points))
    for start in range(0, len(points), 200):
        part = points[start:start + 200]
        pairs = numpy.repeat(part, len(second.faces), axis=0)
        faces = numpy.tile(second.triangles, (len(part), 1, 1))
        nearest = trimesh.triangles.closest_point(faces, pairs)
        lengths = numpy.linalg.norm(nearest - pairs, axis=1).reshape(len(part), -1)
        found[start:start + 200] = lengths.min(axis=1)
    return found[:count], found


meshes = [trimesh.load(path, force="mesh", process=False) for path in sys.argv[1:3]]
sampled, everything = distances(*meshes, 60000)
print(json.dumps({
    "mean": sampled.mean(),
    "rms": float(numpy.sqrt((sampled ** 2).mean())),
    "p95": float(numpy.percentile(sampled, 95)),
    "max": everything.max(),
}))
