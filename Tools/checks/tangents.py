#!/usr/bin/env python3
"""Compares the tangents of a binary glTF file with those that Blender computes by MikkTSpace.

    python3 Tools/checks/tangents.py model.glb               # needs bpy from PyPI

Prints a JSON object for the first mesh: the number of corners, the angles between the tangents of both
(median and 99th percentile, in degrees), and the number of corners whose bitangent is on another side.
"""

import json
import struct
import sys

import bpy
import numpy as np

TYPES = {5126: np.float32, 5125: np.uint32, 5123: np.uint16, 5121: np.uint8}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


def read(path):
    with open(path, "rb") as file:
        content = file.read()
    length = struct.unpack("<I", content[12:16])[0]
    return json.loads(content[20:20 + length]), content[28 + length:]


def array(document, binary, number):
    accessor = document["accessors"][number]
    view = document["bufferViews"][accessor["bufferView"]]
    type_, width = np.dtype(TYPES[accessor["componentType"]]), WIDTHS[accessor["type"]]
    start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    stride = view.get("byteStride", width * type_.itemsize)
    return np.ndarray(
        (accessor["count"], width), type_, binary, start, (stride, type_.itemsize)).copy()


def corners(document, binary):
    """Position, normal, texture coordinates and tangent of each corner of the first mesh."""
    parts = []
    for primitive in document["meshes"][0]["primitives"]:
        names = ("POSITION", "NORMAL", "TEXCOORD_0", "TANGENT")
        values = [array(document, binary, primitive["attributes"][name]) for name in names]
        order = array(document, binary, primitive["indices"]).reshape(-1)
        parts.append([value[order] for value in values])
    return [np.concatenate(values) for values in zip(*parts)]


def main():
    positions, normals, places, tangents = corners(*read(sys.argv[1]))
    # Blender rounds normals, and in the same way only for corners of one vertex.
    vertices, indices = np.unique(positions, axis=0, return_inverse=True)
    mesh = bpy.data.meshes.new("mesh")
    mesh.from_pydata(vertices.tolist(), [], indices.reshape(-1, 3).tolist())
    mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
    places[:, 1] = 1 - places[:, 1]
    mesh.uv_layers.new(name="uv").data.foreach_set("uv", places.reshape(-1))
    mesh.normals_split_custom_set(normals.tolist())
    mesh.calc_tangents(uvmap="uv")
    found = np.empty(3 * len(mesh.loops), np.float32)
    mesh.loops.foreach_get("tangent", found)
    sides = np.empty(len(mesh.loops), np.float32)
    mesh.loops.foreach_get("bitangent_sign", sides)
    cosines = (found.reshape(-1, 3) * tangents[:, :3]).sum(axis=1)
    angles = np.degrees(np.arccos(np.clip(cosines, -1, 1)))
    print(json.dumps({
        "corners": len(angles), "median": float(np.median(angles)),
        "percentile99": float(np.percentile(angles, 99)),
        "otherSides": int((sides != tangents[:, 3]).sum()),
    }))


main()
