#!/usr/bin/env python3
"""Laplacian smoothing (Taubin, "A signal processing approach to fair surface design", 1995)."""

import numpy as np

import meshpipe


@meshpipe.stage
def smooth_laplacian(scene, iterations=10, strength=0.5, keepVolume=True, maximumShift=None):
    limit = None if maximumShift is None else scene.length(maximumShift)
    for number, mesh in enumerate(scene.meshes):
        before = mesh.positions.astype(np.float64)
        after = smoothed(before, mesh.faces, iterations, strength, keepVolume, limit)
        mesh.positions = after.astype(np.float32)
        # They were those of the old surface.
        mesh.normals = mesh.corner_normals = mesh.tangents = None
        meshpipe.progress((number + 1) / len(scene.meshes))
        meshpipe.note("moved", float(np.linalg.norm(after - before, axis=1).max(initial=0)))


def smoothed(positions, faces, iterations, strength, keep_volume, limit):
    edges, is_free = edges_and_free_vertices(faces, len(positions))
    degrees = np.bincount(edges.ravel(), minlength=len(positions)).astype(np.float64)
    is_free &= degrees > 0
    # Taubin's pass band 0.1: the swelling pass is a little stronger than the shrinking one.
    swell = strength / (0.1 * strength - 1) if keep_volume else None
    current = positions
    for _ in range(iterations):
        for factor in (strength, swell):
            if factor is None:
                continue
            sums = np.empty_like(current)
            for axis in range(3):
                values = current[:, axis]
                sums[:, axis] = np.bincount(
                    edges[:, 0], values[edges[:, 1]], len(current))
                sums[:, axis] += np.bincount(
                    edges[:, 1], values[edges[:, 0]], len(current))
            means = sums / np.maximum(degrees, 1)[:, None]
            current = np.where(is_free[:, None], current + factor * (means - current), current)
    if limit is not None:
        way = current - positions
        distance = np.linalg.norm(way, axis=1, keepdims=True)
        current = positions + way * np.minimum(1, limit / np.maximum(distance, 1e-300))
    return current


def edges_and_free_vertices(faces, count):
    """Every edge once, and the vertices that are on no open border."""
    edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).astype(np.int64), axis=1)
    keys, sides = np.unique(edges[:, 0] * count + edges[:, 1], return_counts=True)
    edges = np.stack([keys // max(count, 1), keys % max(count, 1)], axis=1)
    is_free = np.ones(count, bool)
    is_free[edges[sides != 2].ravel()] = False
    return edges, is_free


if __name__ == "__main__":
    meshpipe.main()
