#!/usr/bin/env python3
"""Says what Blender shows of each file when it is opened with the default settings.

    python3 Tools/checks/blender.py scan.glb scan.fbx        # needs bpy from PyPI
    python3 Tools/checks/blender.py --colors scan.glb        # and the colours of its textures
    python3 Tools/checks/blender.py --links scan.glb         # and the pictures of all inputs of materials

Prints a JSON array with an object for each file, in world space, metres, Z up: counts, names, the box
around everything, and for each of the six directions the area of the faces that point there with the
height, along that direction's axis, of half of it. A room stands upright when what points to +z is
at the bottom of the box. With --colors, also the pictures of the materials, the colour that each
triangle shows at one point of it, and the colours of vertices.
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
    ".usda": lambda path: bpy.ops.wm.usd_import(filepath=path),
    ".usdc": lambda path: bpy.ops.wm.usd_import(filepath=path),
    ".usdz": lambda path: bpy.ops.wm.usd_import(filepath=path),
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


def picture_of(material):
    """The picture that is the base colour of a material, with its node; nothing when there is none."""
    if not material or not material.use_nodes:
        return None
    nodes = [node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED"]
    links = nodes[0].inputs["Base Color"].links if nodes else []
    node = links[0].from_node if links else None
    return node if node and node.type == "TEX_IMAGE" and node.image else None


def layer_of(node, mesh):
    """The texture coordinates that a picture's node takes: those that it names, or the active ones."""
    links = node.inputs["Vector"].links
    source = links[0].from_node if links else None
    while source and source.type == "MAPPING" and source.inputs["Vector"].links:
        source = source.inputs["Vector"].links[0].from_node
    if source and source.type == "UVMAP" and source.uv_map:
        return mesh.uv_layers.get(source.uv_map)
    return next((layer for layer in mesh.uv_layers if layer.active_render), None)


def sampled(pixels, places):
    """The colours at texture coordinates, sRGB codes from 0 to 255, as Blender shows a repeated picture.

    Blender's first row of pixels is the lowest one, like v.
    """
    height, width = pixels.shape[:2]
    place = places * (width, height) - 0.5
    low = np.floor(place).astype(int)
    part = place - low
    color = 0
    for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)):
        weight = np.where(dx, part[:, 0], 1 - part[:, 0]) * np.where(dy, part[:, 1], 1 - part[:, 1])
        color = color + weight[:, None] * pixels[(low[:, 1] + dy) % height, (low[:, 0] + dx) % width]
    return 255 * color[:, :3]


def textures():
    """The pictures of all materials, and the colour of each triangle at a point that has no twin in it."""
    weights = np.array([0.5, 0.3, 0.2])
    found, pixels, samples = {}, {}, []
    for thing in (thing for thing in bpy.context.scene.objects if thing.type == "MESH"):
        mesh, world = thing.data, np.array(thing.matrix_world)
        mesh.calc_loop_triangles()
        triangles = array(mesh.loop_triangles, "loops", 3, np.int32)
        slots = array(mesh.loop_triangles, "material_index", 1, np.int32)
        corners = array(mesh.loops, "vertex_index", 1, np.int32)
        positions = array(mesh.vertices, "co", 3) @ world[:3, :3].T + world[:3, 3]
        for slot in range(len(thing.material_slots)):
            chosen = triangles[slots == slot]
            node = picture_of(thing.material_slots[slot].material)
            layer = layer_of(node, mesh) if node else None
            if not len(chosen) or layer is None:
                continue
            image = node.image
            if image.name not in pixels:
                width, height = image.size  # which loads it
                file = bpy.path.abspath(image.filepath)
                found[image.name] = {
                    "name": image.name, "size": [width, height], "isLoaded": image.has_data,
                    "path": None if image.packed_file else str(pathlib.Path(file).resolve()),
                    "colorSpace": image.colorspace_settings.name,
                }
                flat = np.empty(len(image.pixels), dtype=np.float32)
                image.pixels.foreach_get(flat)
                pixels[image.name] = flat.reshape(height, width, -1)
            places = array(layer.data, "uv", 2)
            points = np.einsum("ijk,j->ik", positions[corners[chosen]], weights)
            colors = sampled(
                pixels[image.name], np.einsum("ijk,j->ik", places[chosen], weights))
            samples += pairs(points, colors)
    return {"textures": [found[name] for name in sorted(found)], "samples": samples}


def pairs(points, colors):
    return [{"point": point.tolist(), "color": color.tolist()}
            for point, color in zip(points, colors)]


def vertex_colors():
    """The active colours of vertices, or of corners, at their places."""
    samples = []
    for thing in (thing for thing in bpy.context.scene.objects if thing.type == "MESH"):
        mesh, world = thing.data, np.array(thing.matrix_world)
        layer = mesh.color_attributes.active_color
        if layer is None:
            continue
        positions = array(mesh.vertices, "co", 3) @ world[:3, :3].T + world[:3, 3]
        if layer.domain == "CORNER":
            positions = positions[array(mesh.loops, "vertex_index", 1, np.int32)]
        samples += pairs(positions, 255 * array(layer.data, "color_srgb", 4)[:, :3])
    return {"vertexColors": samples}


def sources(socket, channel=None):
    """The pictures that an input comes from, through other nodes: name, channel and colour space."""
    found = []
    for link in socket.links:
        node, output = link.from_node, link.from_socket.name
        if node.type == "TEX_IMAGE":
            # An output of the picture itself, or a channel that was separated from its colour.
            space = node.image.colorspace_settings.name
            found.append(f"{node.image.name} {channel or output} {space}")
            continue
        inner = output if node.type == "SEPARATE_COLOR" else channel
        for each in node.inputs:
            found += sources(each, inner)
    return found


def links():
    """The pictures of each input of each material."""
    found = {}
    for material in bpy.data.materials:
        nodes = material.node_tree.nodes if material.use_nodes else []
        inputs = {}
        for node in (node for node in nodes if node.type == "BSDF_PRINCIPLED"):
            for socket in node.inputs:
                pictures = sorted(set(sources(socket)))
                if pictures:
                    inputs[socket.name] = ", ".join(pictures)
        found[material.name] = inputs
    return {"links": found}


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


def open_with_defaults(path, with_colors=False, with_links=False):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    suffix = path.suffix.lower()
    if not path.exists():
        return {"path": str(path), "error": "there is no such file"}
    if suffix not in IMPORT:
        return {"path": str(path), "error": f"Blender {bpy.app.version_string} does not open {suffix}"}
    try:
        with silent_output():
            IMPORT[suffix](str(path))
        colors = {**textures(), **vertex_colors()} if with_colors else {}
        shown = links() if with_links else {}
        return {"path": str(path), **describe(), **colors, **shown}
    except RuntimeError as error:
        return {"path": str(path), "error": str(error)}


if __name__ == "__main__":
    names = [name for name in sys.argv[1:] if not name.startswith("--")]
    wanted = ["--colors" in sys.argv, "--links" in sys.argv]
    views = [open_with_defaults(pathlib.Path(name), *wanted) for name in names]
    print(json.dumps(views), flush=True)
    # Once a glTF file was opened, bpy 4.2 crashes when Python takes itself apart.
    os._exit(0)
