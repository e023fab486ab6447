"""Makes the inputs of the benchmarks from the sample scan: each face divided, with noise as scans have it.

    python3 Benchmarks/inputs.py FOLDER DIVISIONS...

DIVISIONS is how often each of the sample's 58,509 faces is divided into four: 1 gives 234 thousand faces,
2 936 thousand, 3 3.7 and 4 15 million. Writes room_N.obj (classes as groups), room_N.text.ply,
room_N.binary.ply and room_N.glb. Needs numpy.
"""
import json
import pathlib
import struct
import sys

import numpy as np

SAMPLE = pathlib.Path(__file__).resolve().parent.parent / "samples" / "living-room.obj"
# Of the distance between neighbours in the depth maps of phones.
NOISE = 0.0015


def read_sample():
    vertices, faces, labels, names = [], [], [], []
    for line in SAMPLE.read_text().splitlines():
        key, *words = line.split()
        if key == "v":
            vertices.append([float(word) for word in words])
        elif key == "g":
            names.append(words[0])
        elif key == "f":
            faces.append([int(word) - 1 for word in words])
            labels.append(len(names) - 1)
    return np.array(vertices), np.array(faces, np.uint32), np.array(labels, np.uint8), names


def divided(vertices, faces, labels):
    """Each face into four by the midpoints of its edges; faces that share an edge share its midpoint."""
    sides = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]], axis=2).reshape(-1, 2).astype(np.uint64)
    edges, of_side = np.unique(sides[:, 0] << 32 | sides[:, 1], return_inverse=True)
    middle = (len(vertices) + of_side.reshape(-1, 3)).astype(np.uint32)
    ends = vertices[edges >> 32] + vertices[edges & 0xFFFFFFFF]
    vertices = np.concatenate([vertices, ends / 2])
    a, b, c = faces.T
    ab, bc, ca = middle.T
    parts = np.stack([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]])
    return vertices, parts.transpose(2, 0, 1).reshape(-1, 3), np.repeat(labels, 4)


def write_obj(path, vertices, faces, labels, names):
    with path.open("w") as file:
        np.savetxt(file, vertices, "v %.5f %.5f %.5f")
        for label, name in enumerate(names):
            file.write(f"g {name}\n")
            np.savetxt(file, faces[labels == label] + 1, "f %d %d %d")


def write_ply(path, vertices, faces, encoding):
    header = (f"ply\nformat {encoding} 1.0\nelement vertex {len(vertices)}\n"
              "property float x\nproperty float y\nproperty float z\n"
              f"element face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n")
    with path.open("wb") as file:
        file.write(header.encode())
        if encoding == "ascii":
            np.savetxt(file, vertices, "%.5f %.5f %.5f")
            np.savetxt(file, faces, "3 %d %d %d")
            return
        rows = np.empty(len(faces), [("count", "u1"), ("corners", "<i4", 3)])
        rows["count"], rows["corners"] = 3, faces
        file.write(vertices.astype("<f4").tobytes() + rows.tobytes())


def write_glb(path, vertices, faces):
    points, corners = vertices.astype("<f4"), faces.astype("<u4")
    views = [{"buffer": 0, "byteLength": points.nbytes},
             {"buffer": 0, "byteOffset": points.nbytes, "byteLength": corners.nbytes}]
    accessors = [
        {"bufferView": 0, "componentType": 5126, "count": len(points), "type": "VEC3",
         "min": points.min(axis=0).tolist(), "max": points.max(axis=0).tolist()},
        {"bufferView": 1, "componentType": 5125, "count": corners.size, "type": "SCALAR"}]
    text = json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"byteLength": points.nbytes + corners.nbytes}],
        "bufferViews": views, "accessors": accessors}).encode()
    text += b" " * (-len(text) % 4)
    binary = points.tobytes() + corners.tobytes()
    with path.open("wb") as file:
        file.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(binary)))
        file.write(struct.pack("<I4s", len(text), b"JSON") + text)
        file.write(struct.pack("<I4s", len(binary), b"BIN\0") + binary)


def make(folder, divisions):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    vertices, faces, labels, names = read_sample()
    for _ in range(divisions):
        vertices, faces, labels = divided(vertices, faces, labels)
    vertices = vertices + np.random.default_rng(1).normal(0, NOISE, vertices.shape)
    # Readers of text and of floats are to be given the same places.
    vertices = vertices.round(5)
    stem = f"room_{divisions}"
    write_ply(folder / f"{stem}.text.ply", vertices, faces, "ascii")
    write_ply(folder / f"{stem}.binary.ply", vertices, faces, "binary_little_endian")
    write_glb(folder / f"{stem}.glb", vertices, faces)
    # Last, so that where it is, all are.
    write_obj(folder / "part.obj", vertices, faces, labels, names)
    (folder / "part.obj").rename(folder / f"{stem}.obj")


if __name__ == "__main__":
    for count in sys.argv[2:]:
        make(sys.argv[1], int(count))
