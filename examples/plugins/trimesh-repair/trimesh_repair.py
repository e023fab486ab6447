#!/usr/bin/env python3
"""A stage over trimesh."""

import numpy as np

import meshpipe

try:
    import trimesh
except ImportError:
    trimesh = None


@meshpipe.stage
def repair_winding(scene, outwards=True):
    if trimesh is None:
        raise meshpipe.Fault("it needs trimesh: pip install trimesh networkx scipy", 69)
    for number, mesh in enumerate(scene.meshes):
        if len(mesh.faces):
            turned = turn(mesh, outwards)
            meshpipe.note(f"turned in '{mesh.name}'" if mesh.name else "turned", int(turned.sum()))
        mesh.normals = mesh.corner_normals = mesh.tangents = None
        meshpipe.progress((number + 1) / len(scene.meshes))


def turn(mesh, outwards):
    """Turns faces of a mesh, and returns which."""
    body = trimesh.Trimesh(mesh.positions, mesh.faces.astype(np.int64), process=False)
    trimesh.repair.fix_winding(body)
    if outwards:
        trimesh.repair.fix_inversion(body, multibody=True)
    # Where trimesh has another order of corners, the attributes of corners follow.
    turned = ~same_winding(mesh.faces, body.faces)
    mesh.faces[turned] = mesh.faces[turned][:, ::-1]
    if mesh.texture_coordinates is not None:
        mesh.texture_coordinates[turned] = mesh.texture_coordinates[turned][:, ::-1]
    return turned


def same_winding(before, after):
    """Which faces begin at another corner at most."""
    same = np.zeros(len(before), bool)
    for shift in range(3):
        same |= (np.roll(before, shift, axis=1) == after).all(axis=1)
    return same


if __name__ == "__main__":
    meshpipe.main()
