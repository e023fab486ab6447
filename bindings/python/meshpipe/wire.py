"""Messages between meshpipe and a plugin: a frame, a JSON header, and raw little-endian arrays.

docs/plugin-protocol.md describes them field by field.
"""

from __future__ import annotations

import io
import json
import struct
from typing import TYPE_CHECKING, Any, BinaryIO, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import place
from .errors import WireError as WireError
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

if TYPE_CHECKING:
    from .scene import Array, Entry
    from .shared import SharedMemory

    Custom = Tuple[str, str, Tuple[int, ...], str]
    _Arrays = Union["_Stream", "_Memory"]

PROTOCOL = 1
MAGIC = b"meshpipe"
FRAME = struct.Struct("<8sIIQ")

ATTRIBUTES = sorted({entry[0] for entry in MESH_ARRAYS + POINT_ARRAYS} | {"uint64"})

# Where custom attributes are, what their elements are called on the wire, and the shape of an element without width.
MESH_CUSTOM: List[Custom] = [
    ("vertex_attributes", "vertex", (), "vertices"),
    ("corner_attributes", "corner", (3,), "faces"),
    ("face_attributes", "face", (), "faces"),
]
POINT_CUSTOM: List[Custom] = [("attributes", "point", (), "points")]
TYPES = {
    "int8": "i1", "uint8": "u1", "int16": "<i2", "uint16": "<u2", "int32": "<i4", "uint32": "<u4",
    "uint64": "<u8", "float32": "<f4", "float64": "<f8",
}


# Reading


def read_message(
    stream: io.BufferedIOBase, shared: Optional[SharedMemory] = None
) -> Optional[Dict[str, Any]]:
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
    text = _whole(stream.read(header_length), header_length)
    try:
        return _read_content(json.loads(text), payload, stream, shared)
    # The header lacks something, or has something else in its place.
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise WireError(f"the message is damaged ({type(error).__name__}: {error})") from error


def _read_content(
    header: Dict[str, Any], payload: int, stream: io.BufferedIOBase, shared: Optional[SharedMemory]
) -> Dict[str, Any]:
    if header["kind"] in ("scene", "run", "write"):
        places = header.pop("shared", None)
        if places is not None and (shared is None or payload):
            raise WireError("arrays are where it was not agreed upon")
        arrays: _Arrays = _Stream(stream)
        if places is not None and shared is not None:
            arrays = _Memory(shared, places)
        header["scene"] = _read_scene(header, arrays)
    elif payload:
        raise WireError(f"a message '{header['kind']}' has no arrays")
    return header


def _whole(data: bytes, length: int) -> bytes:
    if len(data) != length:
        raise WireError("the message is truncated")
    return data


class _Stream:
    """Arrays that come one after another."""

    def __init__(self, stream: io.BufferedIOBase) -> None:
        self._stream = stream

    def array(self, type_: str, shape: Tuple[int, ...]) -> Array:
        values = np.empty(shape, type_)
        view = values.data.cast("B") if values.size else memoryview(b"")
        while len(view):
            count = self._stream.readinto(view)
            if not count:
                raise WireError("the message is truncated")
            view = view[count:]
        return values


class _Memory:
    """Arrays that are in shared memory, each at its place."""

    def __init__(self, shared: SharedMemory, places: Iterable[int]) -> None:
        self._shared = shared
        self._places = iter(places)

    def array(self, type_: str, shape: Tuple[int, ...]) -> Array:
        try:
            return self._shared.array(next(self._places), type_, shape)
        except (StopIteration, TypeError, ValueError):
            raise WireError("an array is not where it is said to be") from None


def _read_scene(header: Dict[str, Any], arrays: _Arrays) -> Scene:
    system = header["coordinateSystem"]
    scene = Scene(
        name=header.get("name", ""),
        coordinate_system=CoordinateSystem(
            system["up"], system["forward"], system["handedness"], system["metersPerUnit"]),
        materials=[_material(entry) for entry in header.get("materials", [])],
        warnings=list(header.get("warnings", [])),
    )
    place.read(header, scene)
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


def _read_attributes(
    owner: Union[Mesh, PointCloud], entry: Dict[str, Any], kinds: Sequence[Entry], custom: Sequence[Custom],
    sizes: Mapping[str, int], arrays: _Arrays,
) -> None:
    present = set(entry.get("attributes", []))
    for key, name, type_, element, domain in kinds:
        if key in present:
            values: Union[Array, Classes] = arrays.array(type_, (sizes[domain],) + element)
            if key == "classes":
                values = Classes(np.asarray(values), list(entry.get("classNames", [])))
            setattr(owner, name, values)
    for item in entry.get("customAttributes", []):
        for name, per, element, domain in custom:
            if per == item["per"]:
                width = item.get("width", 1)
                shape = (sizes[domain],) + element + (() if width == 1 else (width,))
                getattr(owner, name)[item["name"]] = arrays.array(TYPES[item["type"]], shape)


def _material(entry: Dict[str, Any]) -> Material:
    return Material(
        entry.get("name", ""), tuple(entry["baseColor"]), entry["metallic"], entry["roughness"],
        tuple(entry["emissive"]), entry["isDoubleSided"], entry.get("baseColorTexture"),
        entry.get("normalTexture"), entry.get("isUnlit", False),
        entry.get("occlusionTexture"), entry.get("metallicRoughnessTexture"),
        entry.get("emissiveTexture"), entry.get("alphaMode"), entry.get("alphaCutoff", 0.5))


def _frame(entry: Dict[str, Any]) -> Frame:
    pose = np.eye(4)
    pose[:3, :] = np.array(entry["pose"]).reshape(4, 3).T
    return Frame(
        entry["name"], entry["imagePath"], tuple(entry["imageSize"]), tuple(entry["focalLength"]),
        tuple(entry["principalPoint"]), pose, entry.get("videoIndex"))


# Writing


def write_message(
    stream: BinaryIO, kind: str, scene: Optional[Scene] = None, shared: Optional[SharedMemory] = None,
    **members: Any,
) -> None:
    """Writes a message; a scene's arrays go into shared memory where there is some and they are large."""
    header: Dict[str, Any] = {"kind": kind, **members}
    arrays: List[Array] = []
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
            stream.write(array.data.cast("B"))
    stream.flush()


def _scene_header(scene: Scene, arrays: List[Array]) -> Dict[str, Any]:
    system = scene.coordinate_system
    splitting = place.Splitting(scene)
    header: Dict[str, Any] = {
        "name": scene.name,
        "coordinateSystem": {
            "up": system.up, "forward": system.forward, "handedness": system.handedness,
            "metersPerUnit": system.meters_per_unit,
        },
        "meshes": [_mesh_header(mesh, splitting, arrays) for mesh in scene.meshes],
        "pointClouds": [_cloud_header(cloud, splitting, arrays) for cloud in scene.point_clouds],
        "materials": [_material_header(material) for material in scene.materials],
        "textures": [
            {"fileName": t.file_name, "encoding": t.encoding, "bytes": len(t.data)}
            for t in scene.textures
        ],
        "warnings": list(scene.warnings),
        **place.members(scene, splitting.origin),
    }
    arrays.extend(np.asarray(memoryview(texture.data), np.uint8) for texture in scene.textures)
    if scene.frames is not None:
        header["frames"] = [_frame_header(frame, splitting) for frame in scene.frames]
    return header


def _mesh_header(mesh: Mesh, splitting: place.Splitting, arrays: List[Array]) -> Dict[str, Any]:
    positions = _positions(mesh, splitting)
    faces = _fit(mesh.faces, "<u4", (-1, 3), "faces", mesh)
    arrays += [positions, faces]
    sizes = {"vertices": len(positions), "faces": len(faces)}
    return {"name": mesh.name, **sizes, **_attributes(mesh, MESH_ARRAYS, MESH_CUSTOM, sizes, arrays)}


def _positions(owner: Union[Mesh, PointCloud], splitting: place.Splitting) -> Array:
    values = _shaped(np.asarray(owner.positions), (-1, 3), "positions", owner)
    return np.ascontiguousarray(splitting.narrowed(values, owner.name), "<f4")


def _cloud_header(cloud: PointCloud, splitting: place.Splitting, arrays: List[Array]) -> Dict[str, Any]:
    positions = _positions(cloud, splitting)
    arrays.append(positions)
    sizes = {"points": len(positions)}
    return {"name": cloud.name, **sizes, **_attributes(cloud, POINT_ARRAYS, POINT_CUSTOM, sizes, arrays)}


def _attributes(
    owner: Union[Mesh, PointCloud], entries: Sequence[Entry], custom: Sequence[Custom],
    sizes: Mapping[str, int], arrays: List[Array],
) -> Dict[str, Any]:
    present: List[str] = []
    names: List[str] = []
    for key, name, type_, element, domain in entries:
        values = getattr(owner, name)
        if values is None:
            continue
        if key == "classes":
            names, values = list(values.names), values.labels
        arrays.append(_fit(values, type_, (sizes[domain],) + element, name, owner))
        present.append(key)
    header: Dict[str, Any] = {"attributes": present, "classNames": names}
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


def _fit(
    values: Any, type_: str, shape: Tuple[int, ...], name: str, owner: Union[Mesh, PointCloud]
) -> Array:
    """The values as an array of the type and shape that the wire has."""
    values = np.asarray(values)
    if name == "colors" and values.ndim == 2 and values.shape[1] == 3:
        values = np.concatenate([values, np.full((len(values), 1), 255)], axis=1)
    values = _shaped(values, shape, name, owner)
    if values.dtype.kind in "iu" and type_ != "<f4" and values.dtype != type_ and values.size:
        low, high = int(values.min()), int(values.max())
        if low < 0 or high > np.iinfo(type_).max:
            raise WireError(f"{name} of '{owner.name}' have values from {low} to {high}")
    return np.ascontiguousarray(values, type_)


def _shaped(values: Array, shape: Tuple[int, ...], name: str, owner: Union[Mesh, PointCloud]) -> Array:
    wanted = values.shape[:1] + shape[1:] if shape[0] == -1 else shape
    if values.shape != wanted:
        raise WireError(
            f"{name} of '{owner.name}' have the shape {values.shape}, but need {wanted}")
    return values


def _material_header(material: Material) -> Dict[str, Any]:
    header: Dict[str, Any] = {
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


def _frame_header(frame: Frame, splitting: place.Splitting) -> Dict[str, Any]:
    header: Dict[str, Any] = {
        "name": frame.name, "imagePath": frame.image_path,
        "imageSize": [int(v) for v in frame.image_size],
        "focalLength": [float(v) for v in frame.focal_length],
        "principalPoint": [float(v) for v in frame.principal_point],
        "pose": [float(v) for v in splitting.pose(np.asarray(frame.pose))[:3, :4].T.ravel()],
    }
    if frame.video_index is not None:
        header["videoIndex"] = int(frame.video_index)
    return header
