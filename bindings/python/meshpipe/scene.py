"""The scene that stages take and return: plain objects around numpy arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Sized, Tuple, Union

import numpy as np

from .errors import MeshpipeError, UnknownAttributeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    # What meshpipe gives has the types that the classes below name; what it gets may be wider, as float64.
    Array = NDArray[Any]
    Floats = NDArray[np.floating[Any]]
    Integers = NDArray[np.integer[Any]]
    Mask = NDArray[np.bool_]
    Entry = Tuple[str, str, str, Tuple[int, ...], str]
else:  # numpy.typing would make every plugin wait
    Array = Floats = Integers = Mask = np.ndarray

ARKIT_CLASSES = [
    "none", "wall", "floor", "ceiling", "table", "seat", "window", "door", "wall-decoration",
    "blinds", "fireplace", "stairs", "bed", "counter", "cabinet", "home-appliance", "door-frame",
    "tv", "whiteboard", "plant",
]


# Name on the wire, name of the attribute, type, shape of an element, domain.
MESH_ARRAYS: List[Entry] = [
    ("normals", "normals", "<f4", (3,), "vertices"),
    ("colors", "colors", "u1", (4,), "vertices"),
    ("confidences", "confidences", "<f4", (), "vertices"),
    ("textureCoordinates", "texture_coordinates", "<f4", (3, 2), "faces"),
    ("secondTextureCoordinates", "second_texture_coordinates", "<f4", (3, 2), "faces"),
    ("cornerNormals", "corner_normals", "<f4", (3, 3), "faces"),
    ("tangents", "tangents", "<f4", (3, 4), "faces"),
    ("faceMaterials", "face_materials", "<u4", (), "faces"),
    ("classes", "classes", "<u2", (), "faces"),
    ("faceColors", "face_colors", "u1", (4,), "faces"),
]
POINT_ARRAYS: List[Entry] = [
    ("normals", "normals", "<f4", (3,), "points"),
    ("colors", "colors", "u1", (4,), "points"),
    ("confidences", "confidences", "<f4", (), "points"),
    ("classes", "classes", "<u2", (), "points"),
    ("wideColors", "wide_colors", "<u2", (3,), "points"),
]


class _Strict:
    """An object that refuses attributes that it does not have: what is misspelt would be lost."""

    # Hidden from type checkers, which would take it for a permission.
    if not TYPE_CHECKING:

        def __setattr__(self, name: str, value: Any) -> None:
            fields = getattr(self, "__dataclass_fields__", {})
            if name not in fields and not name.startswith("_"):
                from difflib import get_close_matches  # no plugin waits for it

                near = get_close_matches(name, fields, 1, 0.7)
                hint = f"did you mean '{near[0]}'?" if near else "it has " + ", ".join(fields)
                raise UnknownAttributeError(f"'{type(self).__name__}' has no attribute '{name}'; {hint}")
            object.__setattr__(self, name, value)


def _count(things: Sized, word: str, several: str = "") -> str:
    """How many there are, in words."""
    number = len(things)
    return f"{number:,} {word if number == 1 else several or word + 's'}"


def _attributes(part: Union[Mesh, PointCloud]) -> str:
    """The names of the attributes that a mesh or a point cloud has."""
    arrays = MESH_ARRAYS if isinstance(part, Mesh) else POINT_ARRAYS
    found = [entry[1] for entry in arrays if getattr(part, entry[1]) is not None]
    for name in ("vertex_attributes", "corner_attributes", "face_attributes", "attributes"):
        found += getattr(part, name, {})
    return "".join(f", {name}" for name in found)


@dataclass
class CoordinateSystem(_Strict):
    """How coordinates are to be read; ARKit's is right-handed, Y up, in metres."""

    up: str = "y"
    forward: str = "-z"
    handedness: str = "right"
    meters_per_unit: float = 1.0


@dataclass(frozen=True)
class ReferenceSystem:
    """The map that coordinates belong to; to change it, assign another one: ReferenceSystem("EPSG:25832").

    code is that of the EPSG registry. horizontal_unit and vertical_unit are the lengths in metres of a unit of the file
    that was read; the scene itself has the unit of its coordinate_system. A file that is written gives the coordinates no
    system any more if is_left says that the scene was turned, scaled or moved away from the map.
    """

    code: Optional[str] = None
    name: Optional[str] = None
    horizontal_unit: float = 1.0
    vertical_unit: float = 1.0
    is_left: bool = False
    # How the file says it; what names another system says it in another way.
    _records: List[Dict[str, Any]] = field(default_factory=list, init=False, repr=False, hash=False)


@dataclass
class Classes(_Strict):
    """What each face (or point) is a part of: a label is an index into names."""

    labels: Integers
    names: List[str] = field(default_factory=lambda: list(ARKIT_CLASSES))

    def named(self, *names: str) -> Mask:
        """True for each face that has one of the names."""
        wanted = [index for index, name in enumerate(self.names) if name in names]
        return np.isin(self.labels, wanted)


@dataclass
class Mesh(_Strict):
    """A triangle mesh with shared vertices; attributes are None where there are none.

    Of n vertices and m faces: positions, normals (n, 3), colors (n, 4) of 0 to 255, confidences
    (n,), faces (m, 3), texture_coordinates (m, 3, 2) with the origin at the lower left,
    second_texture_coordinates (m, 3, 2), as for light maps; corner_normals (m, 3, 3); tangents (m, 3, 4), the
    last number 1 or -1 as in glTF; face_materials (m,) into the scene's materials, classes, and face_colors (m, 4),
    which take precedence over those of vertices. Attributes that
    meshpipe has no meaning for are in dictionaries by name: vertex_attributes (n,) or (n, width),
    corner_attributes (m, 3) or (m, 3, width), face_attributes (m,) or (m, width).
    """

    positions: Floats = field(default_factory=lambda: np.zeros((0, 3), np.float32))
    faces: Integers = field(default_factory=lambda: np.zeros((0, 3), np.uint32))
    name: str = ""
    normals: Optional[Floats] = None
    colors: Optional[Integers] = None
    confidences: Optional[Floats] = None
    texture_coordinates: Optional[Floats] = None
    second_texture_coordinates: Optional[Floats] = None
    corner_normals: Optional[Floats] = None
    tangents: Optional[Floats] = None
    face_materials: Optional[Integers] = None
    classes: Optional[Classes] = None
    face_colors: Optional[Integers] = None
    vertex_attributes: Dict[str, Array] = field(default_factory=dict)
    corner_attributes: Dict[str, Array] = field(default_factory=dict)
    face_attributes: Dict[str, Array] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (f"Mesh({self.name!r}, {_count(self.faces, 'face')}, "
                f"{_count(self.positions, 'vertex', 'vertices')}{_attributes(self)})")

    def keep_faces(self, chosen: Union[Mask, Integers, Sequence[int], slice]) -> None:
        """Keeps the faces that a mask or a list of numbers chooses; vertices stay."""
        self.faces = self.faces[chosen]
        for _, name, _, _, domain in MESH_ARRAYS:
            values = getattr(self, name)
            if domain == "faces" and name != "classes" and values is not None:
                setattr(self, name, values[chosen])
        if self.classes is not None:
            self.classes = Classes(self.classes.labels[chosen], self.classes.names)
        for attributes in (self.corner_attributes, self.face_attributes):
            for name, values in attributes.items():
                attributes[name] = values[chosen]

    def drop_unused_vertices(self) -> None:
        """Removes the vertices that no face uses."""
        used = np.zeros(len(self.positions), bool)
        used[self.faces.ravel()] = True
        numbers = np.cumsum(used, dtype=np.int64) - 1
        self.faces = numbers[self.faces].astype(np.uint32)
        self.positions = self.positions[used]
        for _, name, _, _, domain in MESH_ARRAYS:
            values = getattr(self, name)
            if domain == "vertices" and values is not None:
                setattr(self, name, values[used])
        for name, values in self.vertex_attributes.items():
            self.vertex_attributes[name] = values[used]


@dataclass
class PointCloud(_Strict):
    """Points with attributes: positions, normals (n, 3), colors (n, 4), confidences (n,), classes, and
    wide_colors (n, 3), colors of 16 bits as in a LAS file, which count where colors say the same in 8.

    Attributes that meshpipe has no meaning for are in the dictionary attributes, by name: (n,) or (n, width).
    """

    positions: Floats = field(default_factory=lambda: np.zeros((0, 3), np.float32))
    name: str = ""
    normals: Optional[Floats] = None
    colors: Optional[Integers] = None
    confidences: Optional[Floats] = None
    classes: Optional[Classes] = None
    wide_colors: Optional[Integers] = None
    attributes: Dict[str, Array] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"PointCloud({self.name!r}, {_count(self.positions, 'point')}{_attributes(self)})"


@dataclass
class Texture(_Strict):
    """An encoded image: png, jpeg, webp, avif, ktx2, tga, bmp, tiff or other."""

    data: bytes = b""
    file_name: str = "texture.png"
    encoding: str = "png"

    def __repr__(self) -> str:
        return f"Texture({self.file_name!r}, {self.encoding}, {_count(self.data, 'byte')})"


@dataclass
class Material(_Strict):
    """The look of a surface (glTF's metallic-roughness model); textures are numbers of the scene's."""

    name: str = ""
    base_color: Tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    metallic: float = 0.0
    roughness: float = 1.0
    emissive: Tuple[float, float, float] = (0.0, 0.0, 0.0)
    is_double_sided: bool = False
    base_color_texture: Optional[int] = None
    normal_texture: Optional[int] = None
    is_unlit: bool = False
    occlusion_texture: Optional[int] = None
    metallic_roughness_texture: Optional[int] = None
    emissive_texture: Optional[int] = None
    #: "opaque", "mask" or "blend"; None blends a base colour whose opacity is below 1
    alpha_mode: Optional[str] = None
    #: the opacity from which on a "mask" is shown
    alpha_cutoff: float = 0.5


@dataclass
class Frame(_Strict):
    """A photograph of a capture: pixels count from the top left, the camera looks along its -Z.

    The pose is a 4x4 matrix from the camera to the scene. A plugin may change focal_length,
    principal_point and pose, and leave frames out; the pictures themselves stay where they are.
    """

    name: str
    image_path: str
    image_size: Tuple[int, int]
    focal_length: Tuple[float, float]
    principal_point: Tuple[float, float]
    pose: Floats
    video_index: Optional[int] = None


@dataclass
class Scene(_Strict):
    """Meshes, point clouds, materials, textures, and the frames of a capture (None: there is none).

    All positions, and the poses of frames, are relative to origin: the place of zero in the coordinates of the scan's file,
    as in a national grid, in the axes and the unit of the scene. positions + scene.origin are those of the file. To move a
    scene to another place, change the origin: single precision would round positions that are far from zero. Where float64
    positions are, a round place near them is split off and added to the origin when the scene is written.

    reference_system is the map that these coordinates belong to; None if no file says. survey is what else a
    surveyor's file says, with which another one can be written, under the names of docs/plugin-protocol.md.
    """

    meshes: List[Mesh] = field(default_factory=list)
    point_clouds: List[PointCloud] = field(default_factory=list)
    materials: List[Material] = field(default_factory=list)
    textures: List[Texture] = field(default_factory=list)
    frames: Optional[List[Frame]] = None
    name: str = ""
    coordinate_system: CoordinateSystem = field(default_factory=CoordinateSystem)
    warnings: List[str] = field(default_factory=list)
    origin: Tuple[float, float, float] = (0.0, 0.0, 0.0)
    reference_system: Optional[ReferenceSystem] = None
    survey: Optional[Dict[str, Any]] = None
    # Whether zero is said on purpose: a stage that returns another scene says nothing of an origin.
    _has_origin: bool = field(default=False, init=False, repr=False, compare=False)

    def __repr__(self) -> str:
        faces = range(sum(len(m.faces) for m in self.meshes))
        parts = [f"{_count(faces, 'face')} in {_count(self.meshes, 'mesh', 'meshes')}"]
        points = sum(len(c.positions) for c in self.point_clouds)
        if points:
            parts.append(f"{points:,} point{'' if points == 1 else 's'}")
        for what, word in ((self.materials, "material"), (self.textures, "texture"),
                           (self.frames or [], "frame")):
            if what:
                parts.append(_count(what, word))
        system = self.coordinate_system
        parts += [f"{system.up} up", f"unit {system.meters_per_unit:g} m"]
        if any(self.origin):
            parts.append("origin ({})".format(", ".join(f"{float(value):.12g}" for value in self.origin)))
        if self.reference_system is not None:
            map_ = self.reference_system
            parts.append(map_.code or map_.name or "a map without a code")
        return f"Scene({self.name!r}, {', '.join(parts)})"

    @property
    def extent(self) -> float:
        """The longest edge of the box around everything, in the scene's units."""
        parts = [m.positions for m in self.meshes] + [c.positions for c in self.point_clouds]
        parts = [part for part in parts if len(part)]
        if not parts:
            return 0.0
        low = np.min([part.min(axis=0) for part in parts], axis=0)
        high = np.max([part.max(axis=0) for part in parts], axis=0)
        return float((high - low).max())

    def length(self, meters: float) -> float:
        """A length of so many metres in the scene's units."""
        return meters / self.coordinate_system.meters_per_unit


@dataclass(frozen=True)
class Amount:
    """A count, or a share of what there is; the value of a parameter with the format 'amount'."""

    count: Optional[int] = None
    fraction: Optional[float] = None

    def of(self, total: int) -> int:
        """The count, of so many."""
        return self.count if self.count is not None else round(_given(self.fraction) * total)


@dataclass(frozen=True)
class RelativeLength:
    """A length, or a share of the scene's extent; the value of the format 'length-or-percent'."""

    meters: Optional[float] = None
    fraction: Optional[float] = None

    def of(self, scene: Scene) -> float:
        """The length in the scene's units."""
        if self.meters is not None:
            return scene.length(self.meters)
        return _given(self.fraction) * scene.extent


def _given(fraction: Optional[float]) -> float:
    if fraction is None:
        raise MeshpipeError("neither a number nor a fraction was given", 64)
    return fraction
