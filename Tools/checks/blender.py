#!/usr/bin/env python3
"""Says what Blender shows of each file when it is opened with the default settings.

    python3 Tools/checks/blender.py scan.glb scan.fbx        # needs bpy from PyPI

Prints a JSON array with an object for each file, in world space, metres, Z up: counts, names, the box
around everything, and for each of the six directions the area of the faces that point there with the
height, along that direction's axis, of half of it. A room stands upright when what points to +z is
at the bottom of the box.
"""

import contextlib
import json
import os
import pathlib
import sys

import bpy
import numpy as np

IMPORT = {
    ".obj": lambda path: bpy.ops.wm.obj_import(filepath=path),
    ".ply": lambda path: bpy.ops.wm.ply_import(filepath=path),
    ".stl": lambda path: bpy.ops.wm.stl_import(filepath=path),
    ".glb": lambda path: bpy.ops.import_scene.gltf(filepath=path),
    ".gltf": lambda path: bpy.ops.import_scene.gltf(filepath=path),
    ".fbx": lambda path: bpy.ops.import_scene.fbx(filepath=path),
    ".dae": lambda path: bpy.ops.wm.collada_import(filepath=path),
}


@contextlib.contextmanager
def silent_output():
    """Sends what importers print to standard error, also from C."""
    sys.stdout.flush()
    keep = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(keep, 1)
        os.close(keep)


def array(sequence, attribute, width, kind=np.float64):
    values = np.empty(len(sequence) * width, dtype=np.float32 if kind is np.float64 else kind)
    sequence.foreach_get(attribute, values)
    return values.astype(kind).reshape(-1, width) if width > 1 else values


def facing(normals, areas, centers):
    """The area that points along each axis (within 25 degrees) and the median place of it."""
    result = {}
    for axis, letter in enumerate("xyz"):
        for sign, prefix in ((1, "+"), (-1, "-")):
            chosen = sign * normals[:, axis] > 0.9
            area, place = areas[chosen], centers[chosen, axis]
            order = np.argsort(place)
            half = np.searchsorted(np.cumsum(area[order]), area.sum() / 2)
            result[prefix + letter] = {
                "area": float(area.sum()),
                "place": float(place[order][half]) if len(place) else None,
            }
    return result


def describe():
    """What is in Blender's scene now."""
    bpy.context.view_layer.update()
    meshes = [thing for thing in bpy.context.scene.objects if thing.type == "MESH"]
    points, normals, areas, centers = [], [], [], []
    faces = corners = 0
    uv = colors = False
    for thing in meshes:
        mesh, world = thing.data, np.array(thing.matrix_world)
        position = array(mesh.vertices, "co", 3) @ world[:3, :3].T + world[:3, 3]
        mesh.calc_loop_triangles()
        triangles = array(mesh.loop_triangles, "vertices", 3, np.int32)
        a, b, c = (position[triangles[:, k]] for k in range(3))
        cross = np.cross(b - a, c - a) * np.sign(np.linalg.det(world[:3, :3]))
        length = np.linalg.norm(cross, axis=1)
        points.append(position)
        normals.append(cross / np.maximum(length, 1e-30)[:, None])
        areas.append(length / 2)
        centers.append((a + b + c) / 3)
        faces += len(mesh.polygons)
        corners += len(mesh.loops)
        uv |= len(mesh.uv_layers) > 0
        colors |= len(mesh.color_attributes) > 0
    points = np.concatenate(points) if points else np.zeros((0, 3))
    return {
        "objects": sorted(thing.name for thing in meshes),
        "materials": sorted({slot.material.name for thing in meshes
                             for slot in thing.material_slots if slot.material}),
        # Asking for the size loads the picture, which Blender else leaves for later.
        "images": sorted(image.name for image in bpy.data.images if image.size[0] > 0),
        "faces": faces,
        "vertices": len(points),
        "triangles": corners == 3 * faces,
        "hasTextureCoordinates": uv,
        "hasColors": colors,
        "low": points.min(axis=0).tolist() if len(points) else None,
        "high": points.max(axis=0).tolist() if len(points) else None,
        "facing": facing(*map(np.concatenate, (normals, areas, centers))) if faces else {},
    }


def open_with_defaults(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    suffix = path.suffix.lower()
    if not path.exists():
        return {"path": str(path), "error": "there is no such file"}
    if suffix not in IMPORT:
        return {"path": str(path), "error": f"Blender {bpy.app.version_string} does not open {suffix}"}
    try:
        with silent_output():
            IMPORT[suffix](str(path))
        return {"path": str(path), **describe()}
    except RuntimeError as error:
        return {"path": str(path), "error": str(error)}


if __name__ == "__main__":
    print(json.dumps([open_with_defaults(pathlib.Path(name)) for name in sys.argv[1:]]), flush=True)
    # Once a glTF file was opened, bpy 4.2 crashes when Python takes itself apart.
    os._exit(0)
