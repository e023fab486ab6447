"""Messages between meshpipe and a plugin: a frame, a JSON header, and raw little-endian arrays.

docs/plugin-protocol.md describes them field by field.
"""

from __future__ import annotations

import json
import struct

import numpy as np

from .scene import (
    MESH_ARRAYS,
    POINT_ARRAYS,
    Classes,
    CoordinateSystem,
    Frame,
    Material,
    Mesh,
    PointCloud,
    Scene,
    Texture,
)

PROTOCOL = 1
MAGIC = b"meshpipe"
FRAME = struct.Struct("<8sIIQ")

ATTRIBUTES = sorted({entry[0] for entry in MESH_ARRAYS + POINT_ARRAYS} | {"uint64"})

# Where custom attributes are, what their elements are called on the wire, and the shape of an element without width.
MESH_CUSTOM = [
    ("vertex_attributes", "vertex", (), "vertices"),
    ("corner_attributes", "corner", (3,), "faces"),
    ("face_attributes", "face", (), "faces"),
]
POINT_CUSTOM = [("attributes", "point", (), "points")]
TYPES = {
    "int8": "i1", "uint8": "u1", "int16": "<i2", "uint16": "<u2", "int32": "<i4", "uint32": "<u4",
    "uint64": "<u8", "float32": "<f4", "float64": "<f8",
}


class WireError(Exception):
    """Bytes that are no message, or a scene that can't be one."""


# Reading


def read_message(stream, shared=None):
    """The header of the next message, with the scene under "scene" where there is one; None at the end.

    shared is the memory in which arrays may be instead.
    """
    start = stream.read(FRAME.size)
    if not start:
        return None
    magic, version, header_length, payload = FRAME.unpack(_whole(start, FRAME.size))
    if magic != MAGIC:
        raise WireError("the data is not a message of meshpipe")
    if version != PROTOCOL:
        raise WireError(f"the message has version {version}, not {PROTOCOL}")
    header = json.loads(_whole(stream.read(header_length), header_length))
    if header["kind"] in ("scene", "run", "write"):
        places = header.pop("shared", None)
        if places is not None and (shared is None or payload):
            raise WireError("arrays are where it was not agreed upon")
        arrays = _Stream(stream) if places is None else _Memory(shared, places)
        header["scene"] = _read_scene(header, arrays)
    elif payload:
        raise WireError(f"a message '{header['kind']}' has no arrays")
    return header


def _whole(data, length):
    if len(data) != length:
        raise WireError("the message is truncated")
    return data


class _Stream:
    """Arrays that come one after another."""

    def __init__(self, stream):
        self._stream = stream

    def array(self, type_, shape):
        values = np.empty(shape, type_)
        view = memoryview(values).cast("B") if values.size else memoryview(b"")
        while len(view):
            count = self._stream.readinto(view)
            if not count:
                raise WireError("the message is truncated")
            view = view[count:]
        return values


class _Memory:
    """Arrays that are in shared memory, each at its place."""

    def __init__(self, shared, places):
        self._shared = shared
        self._places = iter(places)

    def array(self, type_, shape):
        try:
            return self._shared.array(next(self._places), type_, shape)
        except (StopIteration, TypeError, ValueError):
            raise WireError("an array is not where it is said to be") from None


def _read_scene(header, arrays):
    system = header["coordinateSystem"]
    scene = Scene(
        name=header.get("name", ""),
        coordinate_system=CoordinateSystem(
            system["up"], system["forward"], system["handedness"], system["metersPerUnit"]),
        materials=[_material(entry) for entry in header.get("materials", [])],
        warnings=list(header.get("warnings", [])),
    )
    for entry in header["meshes"]:
        sizes = {"vertices": entry["vertices"], "faces": entry["faces"]}
        mesh = Mesh(
            arrays.array("<f4", (sizes["vertices"], 3)),
            arrays.array("<u4", (sizes["faces"], 3)), entry.get("name", ""))
        _read_attributes(mesh, entry, MESH_ARRAYS, MESH_CUSTOM, sizes, arrays)
        scene.meshes.append(mesh)
    for entry in header.get("pointClouds", []):
        sizes = {"points": entry["points"]}
        cloud = PointCloud(arrays.array("<f4", (sizes["points"], 3)), entry.get("name", ""))
        _read_attributes(cloud, entry, POINT_ARRAYS, POINT_CUSTOM, sizes, arrays)
        scene.point_clouds.append(cloud)
    for entry in header.get("textures", []):
        data = arrays.array("u1", (entry["bytes"],)).tobytes()
        scene.textures.append(Texture(data, entry["fileName"], entry["encoding"]))
    if "frames" in header:
        scene.frames = [_frame(entry) for entry in header["frames"]]
    return scene


def _read_attributes(owner, entry, kinds, custom, sizes, arrays):
    present = set(entry.get("attributes", []))
    for key, name, type_, element, domain in kinds:
        if key in present:
            values = arrays.array(type_, (sizes[domain],) + element)
            if key == "classes":
                values = Classes(values, list(entry.get("classNames", [])))
            setattr(owner, name, values)
    for item in entry.get("customAttributes", []):
        for name, per, element, domain in custom:
            if per == item["per"]:
                width = item.get("width", 1)
                shape = (sizes[domain],) + element + (() if width == 1 else (width,))
                getattr(owner, name)[item["name"]] = arrays.array(TYPES[item["type"]], shape)


def _material(entry):
    return Material(
        entry.get("name", ""), tuple(entry["baseColor"]), entry["metallic"], entry["roughness"],
        tuple(entry["emissive"]), entry["isDoubleSided"], entry.get("baseColorTexture"),
        entry.get("normalTexture"), entry.get("isUnlit", False),
        entry.get("occlusionTexture"), entry.get("metallicRoughnessTexture"),
        entry.get("emissiveTexture"), entry.get("alphaMode"), entry.get("alphaCutoff", 0.5))


def _frame(entry):
    pose = np.eye(4)
    pose[:3, :] = np.array(entry["pose"]).reshape(4, 3).T
    return Frame(
        entry["name"], entry["imagePath"], tuple(entry["imageSize"]), tuple(entry["focalLength"]),
        tuple(entry["principalPoint"]), pose, entry.get("videoIndex"))


# Writing


def write_message(stream, kind, scene=None, shared=None, **members):
    """Writes a message; a scene's arrays go into shared memory where there is some and they are large."""
    header = {"kind": kind, **members}
    arrays = []
    if scene is not None:
        header.update(_scene_header(scene, arrays))
    payload = sum(array.nbytes for array in arrays)
    if shared is not None and payload >= shared.smallest:
        places = [shared.place(array) for array in arrays]
        if None not in places:
            header["shared"] = places
            arrays, payload = [], 0
    text = json.dumps(header, allow_nan=False).encode()
    stream.write(FRAME.pack(MAGIC, PROTOCOL, len(text), payload))
    stream.write(text)
    for array in arrays:
        if array.nbytes:
            stream.write(memoryview(array).cast("B"))
    stream.flush()


def _scene_header(scene, arrays):
    system = scene.coordinate_system
    header = {
        "name": scene.name,
        "coordinateSystem": {
            "up": system.up, "forward": system.forward, "handedness": system.handedness,
            "metersPerUnit": system.meters_per_unit,
        },
        "meshes": [_mesh_header(mesh, arrays) for mesh in scene.meshes],
        "pointClouds": [_cloud_header(cloud, arrays) for cloud in scene.point_clouds],
        "materials": [_material_header(material) for material in scene.materials],
        "textures": [
            {"fileName": t.file_name, "encoding": t.encoding, "bytes": len(t.data)}
            for t in scene.textures
        ],
        "warnings": list(scene.warnings),
    }
    arrays.extend(np.asarray(memoryview(texture.data), np.uint8) for texture in scene.textures)
    if scene.frames is not None:
        header["frames"] = [_frame_header(frame) for frame in scene.frames]
    return header


def _mesh_header(mesh, arrays):
    positions = _fit(mesh.positions, "<f4", (-1, 3), "positions", mesh)
    faces = _fit(mesh.faces, "<u4", (-1, 3), "faces", mesh)
    arrays += [positions, faces]
    sizes = {"vertices": len(positions), "faces": len(faces)}
    return {"name": mesh.name, **sizes, **_attributes(mesh, MESH_ARRAYS, MESH_CUSTOM, sizes, arrays)}


def _cloud_header(cloud, arrays):
    positions = _fit(cloud.positions, "<f4", (-1, 3), "positions", cloud)
    arrays.append(positions)
    sizes = {"points": len(positions)}
    return {"name": cloud.name, **sizes, **_attributes(cloud, POINT_ARRAYS, POINT_CUSTOM, sizes, arrays)}


def _attributes(owner, entries, custom, sizes, arrays):
    present, names = [], []
    for key, name, type_, element, domain in entries:
        values = getattr(owner, name)
        if values is None:
            continue
        if key == "classes":
            names, values = list(values.names), values.labels
        arrays.append(_fit(values, type_, (sizes[domain],) + element, name, owner))
        present.append(key)
    header = {"attributes": present, "classNames": names}
    items = []
    for where, per, element, domain in custom:
        for name, values in getattr(owner, where).items():
            values = np.asarray(values)
            if values.dtype.kind == "b":
                values = values.astype(np.uint8)
            type_ = values.dtype.name
            if type_ not in TYPES:
                raise WireError(f"{name} of '{owner.name}' has the type {type_}, but needs one of "
                                + ", ".join(TYPES))
            shape = (sizes[domain],) + element
            if values.shape[:len(shape)] != shape or values.ndim > len(shape) + 1:
                raise WireError(f"{name} of '{owner.name}' has the shape {values.shape}, but needs "
                                f"{shape}, or one number more")
            width = values.shape[-1] if values.ndim > len(shape) else 1
            arrays.append(np.ascontiguousarray(values, TYPES[type_]))
            items.append({"name": name, "per": per, "type": type_, "width": width})
    if items:
        header["customAttributes"] = items
    return header


def _fit(values, type_, shape, name, owner):
    """The values as an array of the type and shape that the wire has."""
    values = np.asarray(values)
    wanted = values.shape[:1] + shape[1:] if shape[0] == -1 else shape
    if name == "colors" and values.ndim == 2 and values.shape[1] == 3:
        values = np.concatenate([values, np.full((len(values), 1), 255)], axis=1)
    if values.shape != wanted:
        raise WireError(
            f"{name} of '{owner.name}' have the shape {values.shape}, but need {wanted}")
    if values.dtype.kind in "iu" and type_ != "<f4" and values.dtype != type_ and values.size:
        low, high = int(values.min()), int(values.max())
        if low < 0 or high > np.iinfo(type_).max:
            raise WireError(f"{name} of '{owner.name}' have values from {low} to {high}")
    return np.ascontiguousarray(values, type_)


def _material_header(material):
    header = {
        "name": material.name, "baseColor": [float(v) for v in material.base_color],
        "metallic": float(material.metallic), "roughness": float(material.roughness),
        "emissive": [float(v) for v in material.emissive],
        "isDoubleSided": bool(material.is_double_sided),
    }
    if material.is_unlit:
        header["isUnlit"] = True
    if material.alpha_mode is not None:
        header["alphaMode"] = material.alpha_mode
        if material.alpha_mode == "mask":
            header["alphaCutoff"] = float(material.alpha_cutoff)
    for key, texture in (
            ("baseColorTexture", material.base_color_texture),
            ("normalTexture", material.normal_texture),
            ("occlusionTexture", material.occlusion_texture),
            ("metallicRoughnessTexture", material.metallic_roughness_texture),
            ("emissiveTexture", material.emissive_texture)):
        if texture is not None:
            header[key] = int(texture)
    return header


def _frame_header(frame):
    header = {
        "name": frame.name, "imagePath": frame.image_path,
        "imageSize": [int(v) for v in frame.image_size],
        "focalLength": [float(v) for v in frame.focal_length],
        "principalPoint": [float(v) for v in frame.principal_point],
        "pose": [float(v) for v in np.asarray(frame.pose)[:3, :4].T.ravel()],
    }
    if frame.video_index is not None:
        header["videoIndex"] = int(frame.video_index)
    return header
