"""Where a scene is: its origin and the map that it is on, as messages have them."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Union

import numpy as np

from .errors import WireError
from .scene import Mesh, PointCloud, ReferenceSystem, Scene

if TYPE_CHECKING:
    from .scene import Array

    Place = Tuple[float, float, float]

# As meshpipe does it with files: single precision resolves a millimetre up to so many metres, and origins are multiples.
LIMIT = 10_000.0
STEP = 1000.0
# The size of what single precision can have, which origins keep, too.
LARGEST = float(np.finfo(np.float32).max)
# Float64 positions are rounded up to so many metres, or to this share of the size of their part.
TOLERANCE = 1e-3
SHARE = 1e-6


class Splitting:
    """What has to be taken from all positions of a scene, so that single precision holds them.

    Only positions of higher precision are a reason; the others move with them.
    """

    def __init__(self, scene: Scene) -> None:
        self._unit = scene.coordinate_system.meters_per_unit
        parts: List[Union[Mesh, PointCloud]] = [*scene.meshes, *scene.point_clouds]
        self.shift = np.zeros(3)
        if any(_is_wide(part.positions) for part in parts):
            self.shift = self._place(parts)
        origin = _numbers(scene.origin, "origin")
        #: The origin of the positions that are written.
        self.origin: Place = tuple(float(value) for value in np.add(origin, self.shift))  # type: ignore[assignment]
        if max(map(abs, self.origin)) > LARGEST:
            raise WireError(f"the origin {self.origin} is beyond all places: single precision can't have it")

    def _place(self, parts: List[Union[Mesh, PointCloud]]) -> Array:
        """A round place near the middle of the axes that are far from zero, and 0 of the others."""
        boxes = [box for box in (_box(part.positions) for part in parts) if box is not None]
        place = np.zeros(3)
        if not boxes:
            return place
        low = np.min([box[0] for box in boxes], axis=0)
        high = np.max([box[1] for box in boxes], axis=0)
        middle = low / 2 + high / 2
        far = (np.abs(middle) * self._unit > LIMIT) & (np.abs(middle) > high - low)
        place[far] = np.round(middle[far] / STEP) * STEP
        return place

    def narrowed(self, values: Array, name: str) -> Array:
        """The positions of a part of a name, in single precision."""
        if not _is_wide(values) and not self.shift.any():
            return values
        wide = values.astype(np.float64) - self.shift
        with np.errstate(over="ignore", invalid="ignore"):
            narrow = wide.astype(np.float32)
            if _is_wide(values):
                self._expect_precision(wide, narrow, name)
        return narrow

    def _expect_precision(self, wide: Array, narrow: Array, name: str) -> None:
        error = np.abs(narrow - wide)
        error = error[np.isfinite(wide)]
        rounding = float(error.max()) if error.size else 0.0
        box = _box(wide)
        size = float((box[1] - box[0]).max()) if box is not None else 0.0
        if rounding * self._unit > TOLERANCE and rounding > SHARE * size:
            raise WireError(
                f"positions of '{name}' would be rounded by up to {rounding:.2g} units, since single precision holds "
                "them only near a common place, and the parts of the scene are too far apart: make scenes of them, each "
                "with its origin, or take positions.astype('f4') to accept it")

    def pose(self, pose: Array) -> Array:
        """A pose relative to the new origin."""
        if not self.shift.any():
            return pose
        moved = np.array(pose, np.float64)
        moved[:3, 3] -= self.shift
        return moved


def _is_wide(values: Any) -> bool:
    kind = np.asarray(values).dtype
    return kind.kind in "iu" and kind.itemsize > 2 or kind.kind == "f" and kind.itemsize > 4


def _box(positions: Any) -> Optional[Tuple[Array, Array]]:
    """The bounds of the finite positions; None if there are none."""
    values = np.asarray(positions)
    if values.ndim != 2 or values.shape[1] != 3:
        return None  # told where the arrays are fitted
    if values.dtype.kind not in "iu" and not np.isfinite(values).all():
        values = values[np.isfinite(values).all(axis=1)]
    if not len(values):
        return None
    return values.min(axis=0).astype(np.float64), values.max(axis=0).astype(np.float64)


def _numbers(values: Any, name: str) -> Place:
    """Three finite numbers."""
    try:
        numbers = [float(value) for value in values]
    except (TypeError, ValueError):
        numbers = []
    if isinstance(values, str) or len(numbers) != 3 or not all(map(math.isfinite, numbers)):
        raise WireError(f"'{name}' needs three finite numbers, and is {values!r}")
    return numbers[0], numbers[1], numbers[2]


def members(scene: Scene, origin: Place) -> Dict[str, Any]:
    """The place of a scene in the header of a message."""
    found: Dict[str, Any] = {}
    if any(origin) or scene._has_origin:
        found["origin"] = list(origin)
    if scene.reference_system is not None:
        found["referenceSystem"] = _system_header(scene.reference_system)
    if scene.survey is not None:
        try:
            json.dumps(scene.survey, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise WireError(f"the survey of the scene can't be written as JSON: {error}") from error
        found["survey"] = scene.survey
    return found


def read(header: Dict[str, Any], scene: Scene) -> None:
    """Takes the place out of the header of a message."""
    if "origin" in header:
        # Text would be numbers for float().
        if not all(isinstance(value, (int, float)) for value in header["origin"]):
            raise WireError("'origin' needs three finite numbers")
        scene.origin = _numbers(header["origin"], "origin")
        scene._has_origin = True
        if max(map(abs, scene.origin)) > LARGEST:
            raise WireError("'origin' is beyond all places: single precision can't have it")
    if "referenceSystem" in header:
        scene.reference_system = _system(header["referenceSystem"])
    if "survey" in header:
        scene.survey = dict(header["survey"])


def _system_header(system: ReferenceSystem) -> Dict[str, Any]:
    header: Dict[str, Any] = {}
    for key, text in (("code", system.code), ("name", system.name)):
        if text is not None:
            if not isinstance(text, str):
                raise WireError(f"the {key} of the reference system has to be a text as 'EPSG:25832', and is {text!r}")
            header[key] = text
    for key, unit in (("horizontalUnit", system.horizontal_unit), ("verticalUnit", system.vertical_unit)):
        header[key] = _unit(unit, key)
    if system.is_left:
        header["isLeft"] = True
    if system._records:
        header["records"] = system._records
    return header


def _system(header: Dict[str, Any]) -> ReferenceSystem:
    texts = [header.get(key) for key in ("code", "name")]
    if not all(text is None or isinstance(text, str) for text in texts):
        raise WireError("the code and the name of a reference system are texts")
    system = ReferenceSystem(
        texts[0], texts[1], _unit(header.get("horizontalUnit", 1.0), "horizontalUnit"),
        _unit(header.get("verticalUnit", 1.0), "verticalUnit"), bool(header.get("isLeft", False)))
    system._records.extend(dict(record) for record in header.get("records", []))
    return system


def _unit(value: Any, key: str) -> float:
    if not isinstance(value, (int, float, np.number)) or not 1e-6 <= float(value) <= 1e6:
        raise WireError(f"'{key}' of the reference system has to be a length from 1e-6 to 1e6 m, and is {value!r}")
    return float(value)
