#!/usr/bin/env python3
"""Renders models as doll's houses: what faces away from the camera is left out.

    python3 Tools/render.py -o picture.png before.obj after.glb

Several models stand side by side, each opened with Blender's default settings. Colours follow
ARKit's classes where groups, meshes or materials bear their names; edges are drawn, so that the
density of the triangles shows. Needs `bpy` from PyPI; renders on the CPU.
"""

import argparse
import math
import os
import pathlib

import bpy
from mathutils import Vector

COLORS = {
    "wall": (0.80, 0.77, 0.70), "floor": (0.55, 0.36, 0.20), "ceiling": (0.85, 0.85, 0.85),
    "table": (0.72, 0.42, 0.10), "seat": (0.10, 0.35, 0.60), "window": (0.25, 0.65, 0.80),
    "door": (0.45, 0.55, 0.25), "none": (0.42, 0.40, 0.45),
}
IMPORT = {
    ".obj": lambda path: bpy.ops.wm.obj_import(filepath=path, use_split_groups=True),
    ".ply": lambda path: bpy.ops.wm.ply_import(filepath=path),
    ".stl": lambda path: bpy.ops.wm.stl_import(filepath=path),
    ".glb": lambda path: bpy.ops.import_scene.gltf(filepath=path),
    ".gltf": lambda path: bpy.ops.import_scene.gltf(filepath=path),
    ".fbx": lambda path: bpy.ops.import_scene.fbx(filepath=path),
    ".dae": lambda path: bpy.ops.wm.collada_import(filepath=path),
}


def material(name, color, edges):
    """A plain material that is invisible from behind; its edges are a little darker."""
    made = bpy.data.materials.new("shown " + name)
    made.use_nodes = True
    nodes, links = made.node_tree.nodes, made.node_tree.links
    surface = nodes["Principled BSDF"]
    surface.inputs["Roughness"].default_value = 0.9
    if edges:
        wire, mix = nodes.new("ShaderNodeWireframe"), nodes.new("ShaderNodeMix")
        wire.use_pixel_size = True
        wire.inputs["Size"].default_value = 0.7
        mix.data_type = "RGBA"
        mix.inputs["A"].default_value = (*color, 1)
        mix.inputs["B"].default_value = (*(0.35 * c for c in color), 1)
        links.new(wire.outputs[0], mix.inputs["Factor"])
        links.new(mix.outputs["Result"], surface.inputs["Base Color"])
    else:
        surface.inputs["Base Color"].default_value = (*color, 1)
    behind, clear = nodes.new("ShaderNodeNewGeometry"), nodes.new("ShaderNodeBsdfTransparent")
    choice = nodes.new("ShaderNodeMixShader")
    links.new(behind.outputs["Backfacing"], choice.inputs[0])
    links.new(surface.outputs[0], choice.inputs[1])
    links.new(clear.outputs[0], choice.inputs[2])
    links.new(choice.outputs[0], nodes["Material Output"].inputs["Surface"])
    return made


def class_of(name):
    words = name.lower().replace(".", " ").replace("_", " ").replace("-", " ").split()
    return next((word for word in words if word in COLORS), None)


def load(path, offset, palette):
    """Opens a model and moves it aside; returns the corners of what it holds."""
    before = set(bpy.data.objects)
    IMPORT[path.suffix.lower()](str(path))
    corners = []
    for thing in set(bpy.data.objects) - before:
        if thing.type != "MESH":
            continue
        for slot in thing.material_slots or [None]:
            name = slot.material.name if slot and slot.material else ""
            label = class_of(name) or class_of(thing.name) or "none"
            if slot:
                slot.material = palette[label]
            else:
                thing.data.materials.append(palette[label])
    for thing in set(bpy.data.objects) - before:
        if thing.parent is None:
            thing.location.x += offset
    bpy.context.view_layer.update()
    for thing in set(bpy.data.objects) - before:
        if thing.type == "MESH":
            corners += [thing.matrix_world @ Vector(corner) for corner in thing.bound_box]
    return corners


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("-o", "--output", required=True, type=pathlib.Path)
    parser.add_argument("--size", default="1400x700", help="of the picture, in pixels")
    parser.add_argument("--samples", type=int, default=24)
    parser.add_argument("--height", type=float, default=52, help="of the camera, in degrees")
    parser.add_argument("--heading", type=float, default=-28, help="of the camera, in degrees")
    parser.add_argument("--no-edges", action="store_true")
    options = parser.parse_args()

    bpy.ops.wm.read_factory_settings(use_empty=True)
    palette = {name: material(name, color, not options.no_edges) for name, color in COLORS.items()}
    corners, offset = [], 0.0
    for model in options.models:
        corners += load(model, offset, palette)
        offset = max(corner.x for corner in corners) + 3

    scene = bpy.context.scene
    width, height = map(int, options.size.split("x"))
    scene.render.resolution_x, scene.render.resolution_y = width, height
    scene.render.engine = "CYCLES"
    scene.cycles.samples = options.samples
    scene.cycles.transparent_max_bounces = 32
    scene.cycles.use_denoising = False
    scene.view_settings.view_transform = "Standard"
    scene.world = bpy.data.worlds.new("white")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs[0].default_value = (1, 1, 1, 1)
    scene.world.node_tree.nodes["Background"].inputs[1].default_value = 0.85

    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.data.angle = 1.6, 0.3
    sun.data.use_shadow = False
    sun.rotation_euler = (math.radians(35), math.radians(-25), 0)
    scene.collection.objects.link(sun)

    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.type = "ORTHO"
    camera.rotation_euler = (math.radians(90 - options.height), 0, math.radians(options.heading))
    scene.collection.objects.link(camera)
    scene.camera = camera
    view = camera.rotation_euler.to_matrix()
    across = [corner @ view.col[0] for corner in corners]
    upward = [corner @ view.col[1] for corner in corners]
    camera.data.ortho_scale = 1.04 * max(
        max(across) - min(across), (max(upward) - min(upward)) * width / height)
    toward = max(corner @ view.col[2] for corner in corners) + 5
    camera.location = view @ Vector(
        ((max(across) + min(across)) / 2, (max(upward) + min(upward)) / 2, toward))

    scene.render.filepath = str(options.output.resolve())
    if options.output.suffix.lower() in (".jpg", ".jpeg"):
        scene.render.image_settings.file_format = "JPEG"
        scene.render.image_settings.quality = 85
    bpy.ops.render.render(write_still=True)


if __name__ == "__main__":
    main()
    os._exit(0)  # Blender's module may crash while Python takes it down
