#!/usr/bin/env python3
"""Writes models as compressed glTF with meshpipe and with gltfpack, and prints a table of sizes, errors and CPU time.

Usage: gltf.py MESHPIPE MODEL… [--runs 3] [--step 0.5mm]

The models are GLB files that gltfpack reads too. Sizes in kB, of the whole file and without images. Step: that of positions in
the file, in mm for a model in metres. Error: the largest distance of a vertex of the model to the nearest one of the
file, decoded by almeshopt or DracoPy (PyPI) or as it is. Seconds: CPU time of the whole program; median. Needs numpy, scipy,
almeshopt and DracoPy, and Debian's gltfpack.
"""

import argparse
import json
import os
import pathlib
import struct
import tempfile

import almeshopt
import DracoPy
import numpy as np
from scipy.spatial import cKDTree

import measure

TYPES = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


class File:
    """A GLB file, read without meshpipe."""

    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        length = struct.unpack_from("<I", data, 12)[0]
        self.json = json.loads(data[20:20 + length])
        self.binary = data[28 + length:]
        self.size = len(data)
        views = self.json["bufferViews"]
        self.images = sum(views[image["bufferView"]]["byteLength"] for image in self.json.get("images", []))

    def view(self, number):
        view = self.json["bufferViews"][number]
        packed = view.get("extensions", {}).get("EXT_meshopt_compression")
        source = packed or view
        start = source.get("byteOffset", 0)
        data = self.binary[start:start + source["byteLength"]]
        if not packed:
            return data, view.get("byteStride")
        count, stride = packed["count"], packed["byteStride"]
        if packed["mode"] == "TRIANGLES":
            return np.asarray(almeshopt.decode_index_buffer(data, count)).astype(f"<u{stride}").tobytes(), None
        return np.ascontiguousarray(
            almeshopt.decode_vertex_buffer(data, count, stride, dtype=np.uint8)).tobytes(), stride

    def values(self, number):
        accessor = self.json["accessors"][number]
        data, stride = self.view(accessor["bufferView"])
        kind, width = np.dtype(TYPES[accessor["componentType"]]), WIDTHS[accessor["type"]]
        stride = stride or kind.itemsize * width
        rows = np.ndarray((accessor["count"], width), kind, data, accessor.get("byteOffset", 0), (stride, kind.itemsize))
        values = rows.astype(np.float64)
        return values / np.iinfo(kind).max if accessor.get("normalized") else values

    def positions(self):
        """All positions in the scene, their step (0 for floats), and the number of faces."""
        parts, steps, faces = [], [0.0], 0
        def visit(node, outer):
            nonlocal faces
            node = self.json["nodes"][node]
            inner = np.eye(4)
            if "matrix" in node:
                inner = np.reshape(node["matrix"], (4, 4)).T
            else:
                inner[:3, :3] *= node.get("scale", [1, 1, 1])
                inner[:3, 3] = node.get("translation", [0, 0, 0])
            inner = outer @ inner
            for primitive in self.json["meshes"][node["mesh"]]["primitives"] if "mesh" in node else []:
                place = primitive["attributes"]["POSITION"]
                packed = primitive.get("extensions", {}).get("KHR_draco_mesh_compression")
                if packed:
                    mesh = DracoPy.decode(self.view(packed["bufferView"])[0])
                    faces += len(mesh.faces)
                    steps.append(step_of(mesh.points))
                    parts.append(mesh.points @ inner[:3, :3].T + inner[:3, 3])
                    continue
                values = self.values(place)
                accessor = self.json["accessors"][place]
                if accessor["componentType"] != 5126:
                    unit = 65535 if accessor.get("normalized") else 1
                    steps.append(np.linalg.norm(inner[:3, 0]) / unit)
                if "indices" in primitive:
                    indices = self.values(primitive["indices"]).astype(int)
                    faces += len(indices) // 3
                    # Only what is shown.
                    values = values[np.unique(indices)]
                parts.append(values @ inner[:3, :3].T + inner[:3, 3])
            for child in node.get("children", []):
                visit(child, inner)
        for root in self.json["scenes"][self.json.get("scene", 0)]["nodes"]:
            visit(root, np.eye(4))
        return np.concatenate(parts), max(steps), faces


def step_of(points):
    """The least difference of coordinates, along the axis that has most of them."""
    return min(np.diff(np.unique(axis)).min(initial=np.inf) for axis in points.T)


def pipeline(folder, mode, step):
    path = f"{folder}/{mode}.json"
    options = {"compression": mode} | ({} if mode == "none" else {"step": step})
    output = {"path": f"{folder}/{mode}.glb", "with": options}
    pathlib.Path(path).write_text(json.dumps({"meshpipe": 1, "outputs": [output]}))
    return path


def rows(meshpipe, model, step, times, folder):
    commands = {
        f"**meshpipe `{mode}`**": [
            meshpipe, "run", pipeline(folder, mode, step), model, "--force", "--allow-external", "-o", f"{folder}/{mode}.glb"]
        for mode in ["none", "quantize", "meshopt", "draco"]}
    peers = {"gltfpack": [], "gltfpack `-c`": ["-c"], "gltfpack `-cc`": ["-cc"], "gltfpack `-cc -vp 16`": ["-cc", "-vp", "16"]}
    for name, options in peers.items():
        path = f"{folder}/{name.replace(' ', '').replace('`', '')}.glb"
        commands[name] = ["gltfpack", "-i", model, "-o", path, "-km", "-kn", *options]
    runs = measure.in_turn(commands, times)
    original, _, count = File(model).positions()
    for name, command in commands.items():
        file = File(command[-1] if "meshpipe" in name else command[4])
        positions, found, faces = file.positions()
        error = cKDTree(positions).query(original)[0].max()
        cpu = measure.medians(runs[name]).cpu
        step_text = f"{1000 * found:.3f}" if found else "floats"
        yield (f"| {pathlib.Path(model).stem} | {name} | {file.size / 1000:,.0f} | {(file.size - file.images) / 1000:,.0f} "
               f"| {step_text} | {1000 * error:.3f} | {count - faces} | {cpu:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("meshpipe", type=os.path.abspath)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--step", default="0.5mm")
    options = parser.parse_args()
    print("| model | program | kB | without images | step mm | error mm | faces lost | CPU s |")
    print("|---|---|---|---|---|---|---|---|")
    for model in options.models:
        with tempfile.TemporaryDirectory() as folder:
            for row in rows(options.meshpipe, os.path.abspath(model), options.step, options.runs, folder):
                print(row, flush=True)


main()
