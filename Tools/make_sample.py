#!/usr/bin/env python3
"""Makes samples/living-room.obj: a furnished living room as a phone's LiDAR mesh shows it.

    python3 Tools/make_sample.py            # writes samples/living-room.obj (needs numpy)
    python3 Tools/make_sample.py --room     # only samples/living-room.room.json, the same room by RoomPlan

The room is imagined, so it belongs to nobody and shows nobody's home. It is made the way a scan is:

1. Solids (rounded boxes, cylinders, ellipsoids) blend into one signed distance, with the slow wobble
   of depth that is a centimetre off here and there, and fillets where things touch.
2. The distance is sampled on a voxel grid along the axes of the world, as ARKit does, against which
   the room stands at an angle. Naive surface nets make the triangles, which are welded and, where
   the surface is closed, face the air.
3. A walk with a camera decides what is seen: behind the sofa, under the table and on much of the
   ceiling there is nothing, so the mesh has open borders. Window panes are holes, as glass is.
4. Each face takes ARKit's class of the solid that is nearest; borders between classes are ragged
   and some patches are wrong or `none`.

The world is ARKit's: right-handed, Y up, metres, the origin where the scan began, at head height.
Everything random comes from one seed, so the same numpy makes the same bytes.
"""

import dataclasses
import json
import math
import pathlib
import sys

import numpy as np

SEED = 20240
VOXEL = 0.05
ROOM = np.array([4.7, 2.4, 3.7])  # width along X, height along Y, depth along Z
START = np.array([2.5, 1.42, 1.9])  # where in the room the scan began: the world's origin
YAW = math.radians(17)  # of the room in the world
CLASSES = ["none", "wall", "floor", "ceiling", "table", "seat", "window", "door"]

WINDOW = (np.array([1.4, 0.85, -0.16]), np.array([3.3, 2.1, 0.0]))  # recesses in the walls
DOOR = (np.array([4.7, 0.0, 2.5]), np.array([4.78, 2.05, 3.4]))


@dataclasses.dataclass
class Solid:
    """A body in room coordinates; `half` are its half lengths before it is turned."""

    label: str
    center: tuple
    half: tuple
    yaw: float = 0  # degrees about Y
    tilt: float = 0  # degrees about X, before the yaw
    rounding: float = 0.03
    shape: str = "box"

    def distance(self, points):
        """The signed distance of points of shape (n, 3), negative inside."""
        yaw, tilt = math.radians(self.yaw), math.radians(self.tilt)
        about_y = np.array(
            [[math.cos(yaw), 0, math.sin(yaw)], [0, 1, 0], [-math.sin(yaw), 0, math.cos(yaw)]])
        about_x = np.array(
            [[1, 0, 0], [0, math.cos(tilt), -math.sin(tilt)], [0, math.sin(tilt), math.cos(tilt)]])
        local = (points - np.array(self.center)) @ (about_y @ about_x)
        half = np.array(self.half)
        if self.shape == "ellipsoid":
            # Exact on the surface, near enough around it.
            scaled = np.linalg.norm(local / half, axis=1)
            gradient = np.linalg.norm(local / half**2, axis=1)
            return scaled * (scaled - 1) / np.maximum(gradient, 1e-9)
        if self.shape == "cylinder":
            radial = np.hypot(local[:, 0], local[:, 2]) - half[0] + self.rounding
            outside = np.stack([radial, np.abs(local[:, 1]) - half[1] + self.rounding], axis=1)
        else:
            outside = np.abs(local) - half + self.rounding
        beyond = np.linalg.norm(np.maximum(outside, 0), axis=1)
        return beyond + np.minimum(outside.max(axis=1), 0) - self.rounding


def legs(label, center, half, height, yaw, thickness=0.032):
    """Four legs at the corners of a rectangle."""
    turn = math.radians(yaw)
    for side_x in (-1, 1):
        for side_z in (-1, 1):
            x, z = side_x * half[0], side_z * half[1]
            yield Solid(
                label,
                (center[0] + x * math.cos(turn) + z * math.sin(turn), height / 2,
                 center[1] - x * math.sin(turn) + z * math.cos(turn)),
                (thickness, height / 2, thickness), yaw)


def table(center, half, height, yaw=0):
    yield Solid("table", (center[0], height - 0.03, center[1]), (half[0], 0.038, half[1]), yaw)
    yield from legs("table", center, (half[0] - 0.07, half[1] - 0.07), height, yaw)


def chair(center, yaw):
    turn = math.radians(yaw)
    yield Solid("seat", (center[0], 0.45, center[1]), (0.21, 0.04, 0.21), yaw)
    yield from legs("seat", center, (0.17, 0.17), 0.45, yaw)
    back = (center[0] - 0.19 * math.sin(turn), 0.68, center[1] - 0.19 * math.cos(turn))
    yield Solid("seat", back, (0.2, 0.25, 0.036), yaw, tilt=-6)


def armchair(center, yaw):
    def part(x, y, z, *half, tilt=0, rounding=0.05):
        turn = math.radians(yaw)
        return Solid(
            "seat",
            (center[0] + x * math.cos(turn) + z * math.sin(turn), y,
             center[1] - x * math.sin(turn) + z * math.cos(turn)), half, yaw, tilt, rounding)

    yield part(0, 0.22, 0, 0.36, 0.2, 0.36)
    yield part(0, 0.43, 0.04, 0.26, 0.07, 0.3)
    yield part(0, 0.6, -0.31, 0.34, 0.28, 0.09, tilt=-10)
    yield part(-0.34, 0.4, 0, 0.08, 0.2, 0.36)
    yield part(0.34, 0.4, 0, 0.08, 0.2, 0.36)


def sofa():
    """Along the wall X = 0, with a chaise at the far end."""
    yield Solid("seat", (0.5, 0.21, 2.25), (0.42, 0.19, 1.05), rounding=0.05)
    yield Solid("seat", (0.17, 0.55, 2.25), (0.13, 0.3, 1.05), rounding=0.08)
    yield Solid("seat", (0.5, 0.38, 1.13), (0.42, 0.24, 0.1), rounding=0.06)
    yield Solid("seat", (0.5, 0.38, 3.37), (0.42, 0.24, 0.1), rounding=0.06)
    yield Solid("seat", (1.05, 0.21, 2.9), (0.5, 0.19, 0.38), rounding=0.06)
    for z in (1.6, 2.25, 2.9):
        yield Solid("seat", (0.58, 0.42, z), (0.33, 0.07, 0.31), rounding=0.05)
        yield Solid("seat", (0.33, 0.64, z), (0.09, 0.2, 0.3), rounding=0.08)
    yield Solid("seat", (0.5, 0.62, 1.42), (0.2, 0.2, 0.07), 28, -20, 0.06)
    yield Solid("seat", (0.52, 0.6, 3.1), (0.2, 0.19, 0.07), 150, -22, 0.06)


def bookshelf(generator):
    x, z, width, height = 2.75, 3.54, 1.1, 1.9
    for side in (-1, 1):
        yield Solid("none", (x + side * (width / 2), height / 2, z), (0.03, height / 2, 0.16))
    yield Solid("none", (x, height / 2, z + 0.14), (width / 2, height / 2, 0.03))
    for board in range(6):
        y = 0.06 + board * (height - 0.1) / 5
        yield Solid("none", (x, y, z), (width / 2, 0.03, 0.16))
        if board == 5:
            break
        left = x - width / 2 + 0.06
        while left < x + width / 2 - 0.25:
            block = generator.uniform(0.12, 0.3)  # a run of books of about one height
            tall = generator.uniform(0.16, 0.27)
            if generator.random() < 0.75:
                yield Solid(
                    "none", (left + block / 2, y + 0.03 + tall / 2, z + 0.02),
                    (block / 2, tall / 2, generator.uniform(0.08, 0.12)), rounding=0.015)
            left += block + 0.03


def furniture(generator):
    yield from sofa()
    yield from table((1.65, 1.85), (0.32, 0.5), 0.42, yaw=4)
    yield Solid("none", (1.6, 0.455, 1.7), (0.11, 0.035, 0.15), 20, rounding=0.01)  # books
    yield Solid("none", (1.72, 0.47, 2.1), (0.12, 0.06, 0.12), shape="ellipsoid")  # bowl
    yield from table((2.6, 0.78), (0.68, 0.4), 0.74, yaw=-3)
    yield Solid("none", (2.35, 0.83, 0.75), (0.06, 0.12, 0.06), shape="cylinder")  # vase
    yield Solid("none", (2.35, 1.02, 0.75), (0.15, 0.13, 0.15), shape="ellipsoid")
    yield from chair((2.3, 1.3), 172)
    yield from chair((2.98, 1.42), 205)
    yield from chair((3.55, 0.8), -100)
    yield from armchair((3.2, 2.55), -125)
    yield from bookshelf(generator)
    # Television board against the wall X = width, and the set on it.
    yield Solid("none", (4.47, 0.25, 1.5), (0.21, 0.22, 0.75))
    yield Solid("none", (4.5, 0.87, 1.5), (0.045, 0.33, 0.55), rounding=0.02)
    yield Solid("none", (4.48, 0.5, 1.5), (0.1, 0.05, 0.2))
    # Lamp and plant in the corners, radiator under the window, pictures on the wall.
    yield Solid("none", (0.38, 0.03, 0.5), (0.16, 0.03, 0.16), shape="cylinder", rounding=0.01)
    yield Solid("none", (0.38, 0.75, 0.5), (0.033, 0.75, 0.033), shape="cylinder")
    yield Solid("none", (0.38, 1.6, 0.5), (0.2, 0.15, 0.2), shape="cylinder")
    yield Solid("none", (4.3, 0.2, 0.4), (0.18, 0.2, 0.18), shape="cylinder")
    yield Solid("none", (4.3, 0.75, 0.4), (0.26, 0.36, 0.26), shape="ellipsoid")
    yield Solid("none", (4.12, 1.02, 0.52), (0.2, 0.1, 0.12), 30, 20, shape="ellipsoid")
    yield Solid("none", (4.42, 1.15, 0.55), (0.12, 0.2, 0.1), -40, 25, shape="ellipsoid")
    yield Solid("none", (2.35, 0.42, 0.07), (0.7, 0.28, 0.06))
    yield Solid("none", (0.02, 1.6, 1.95), (0.03, 0.25, 0.36), rounding=0.01)
    yield Solid("none", (0.02, 1.55, 2.75), (0.03, 0.3, 0.22), rounding=0.01)
    yield Solid("window", (2.35, 1.47, -0.12), (0.045, 0.62, 0.05), rounding=0.01)  # mullion
    yield Solid("window", (2.35, 0.84, 0.06), (1.0, 0.03, 0.12), rounding=0.02)  # sill
    yield Solid("door", (4.68, 1.03, 2.62), (0.05, 0.03, 0.08))  # handle
    # What a reflection leaves hanging in the air.
    for center in ((1.2, 1.5, 1.1), (3.6, 1.75, 1.9), (3.9, 1.3, 2.9), (0.9, 2.0, 3.0)):
        yield Solid("none", center, tuple(generator.uniform(0.05, 0.08, 3)), shape="ellipsoid")


def shell(points):
    """Distances of floor, ceiling, walls, window and door: what is solid around the room."""
    air = Solid("wall", tuple(ROOM / 2), tuple(ROOM / 2), rounding=0.0)

    def recess(box):
        low, high = box
        middle, half = (low + high) / 2, (high - low) / 2
        half[np.argmin(half)] += 0.05  # into the room, so that wall and recess are one air
        return Solid("wall", tuple(middle), tuple(half), rounding=0.0).distance(points)

    window, door = recess(WINDOW), recess(DOOR)
    distance = -np.minimum(air.distance(points), np.minimum(window, door))
    planes = np.stack([points[:, 1], ROOM[1] - points[:, 1]], axis=1)
    sides = np.concatenate([points[:, [0, 2]], (ROOM - points)[:, [0, 2]]], axis=1).min(axis=1)
    label = np.full(len(points), CLASSES.index("wall"))
    label[planes[:, 0] < sides] = CLASSES.index("floor")
    label[planes[:, 1] < sides] = CLASSES.index("ceiling")
    label[window < 0.07] = CLASSES.index("window")
    label[door < 0.05] = CLASSES.index("door")
    return distance, label


def smooth_noise(generator, points, spacing):
    """Noise from about -1 to 1 that changes over `spacing` metres, at any points."""
    low = points.min(axis=0)
    size = np.ceil((points.max(axis=0) - low) / spacing).astype(int) + 2
    knots = generator.uniform(-1, 1, size)
    place = (points - low) / spacing
    cell = place.astype(int)
    blend = place - cell
    blend = blend * blend * (3 - 2 * blend)
    result = np.zeros(len(points))
    for corner in np.ndindex(2, 2, 2):
        weight = np.where(corner, blend, 1 - blend).prod(axis=1)
        result += weight * knots[tuple((cell + corner).T)]
    return result


def blended(first, second, radius=0.05):
    """The smaller of two distances, with a fillet of `radius` where they meet."""
    overlap = np.maximum(radius - np.abs(first - second), 0) / radius
    return np.minimum(first, second) - overlap**2 * radius / 4


def to_world(points):
    return (points - START) @ turn().T


def to_room(points):
    return points @ turn() + START


def turn():
    return np.array(
        [[math.cos(YAW), 0, math.sin(YAW)], [0, 1, 0], [-math.sin(YAW), 0, math.cos(YAW)]])


class Field:
    """The signed distance of the room, sampled on a grid along the world's axes."""

    def __init__(self, solids, generator):
        corners = to_world(np.array(list(np.ndindex(2, 2, 2))) * (ROOM + 0.6) - 0.3)
        self.low = np.floor(corners.min(axis=0) / VOXEL) * VOXEL
        self.size = np.ceil((corners.max(axis=0) - self.low) / VOXEL).astype(int) + 1
        grid = np.stack(np.meshgrid(*map(np.arange, self.size), indexing="ij"), axis=-1)
        world = self.low + grid.reshape(-1, 3) * VOXEL
        points = to_room(world)
        distance, _ = shell(points)
        for solid in solids:
            distance = blended(distance, solid.distance(points))
        distance += 0.007 * smooth_noise(generator, world, 0.4)
        distance += 0.004 * smooth_noise(generator, world, 0.12)
        self.values = distance.reshape(self.size)

    def at(self, points):
        """The value of the nearest grid point."""
        cell = np.rint((points - self.low) / VOXEL).astype(int)
        return self.values[tuple(np.clip(cell, 0, self.size - 1).T)]


def surface_nets(field):
    """Naive surface nets (Gibson 1998): one vertex in each cell that the surface crosses."""
    values = field.values
    cells = np.array(values.shape) - 1
    total = np.zeros((*cells, 3))
    count = np.zeros(cells, dtype=int)
    for axis in range(3):
        low, high = pair(values, axis)
        crossing = (low < 0) != (high < 0)
        share = np.where(crossing, low / np.where(crossing, low - high, 1), 0)
        others = [a for a in range(3) if a != axis]
        for shift in np.ndindex(2, 2):  # the four edges of a cell along this axis
            window = [slice(None)] * 3
            for other, offset in zip(others, shift):
                window[other] = slice(offset, offset + cells[other])
            mask, along = crossing[tuple(window)], share[tuple(window)]
            count += mask
            total[..., axis] += np.where(mask, along, 0)
            for other, offset in zip(others, shift):
                total[..., other] += mask * offset
    inside = count > 0
    index = np.full(cells, -1)
    index[inside] = np.arange(inside.sum())
    cell = np.stack(np.nonzero(inside), axis=1)
    vertices = field.low + (cell + total[inside] / count[inside][:, None]) * VOXEL

    quads = []
    for axis in range(3):
        low, high = pair(values, axis)
        first, second = (axis + 1) % 3, (axis + 2) % 3
        edge = np.stack(np.nonzero((low < 0) != (high < 0)), axis=1)
        edge = edge[((edge[:, [first, second]] > 0) & (edge[:, [first, second]] < cells[[first, second]])).all(axis=1)]
        around = []
        for offset in ((1, 1), (0, 1), (0, 0), (1, 0)):  # counter-clockwise about the axis
            corner = edge.copy()
            corner[:, first] -= offset[0]
            corner[:, second] -= offset[1]
            around.append(index[tuple(corner.T)])
        quad = np.stack(around, axis=1)
        solid_below = low[tuple(edge.T)] < 0
        quads.append(np.where(solid_below[:, None], quad, quad[:, ::-1]))
    quad = np.concatenate(quads)
    lengths = [np.linalg.norm(vertices[quad[:, a]] - vertices[quad[:, b]], axis=1)
               for a, b in ((0, 2), (1, 3))]
    short = (lengths[0] <= lengths[1])[:, None, None]
    faces = np.where(short, quad[:, [[0, 1, 2], [0, 2, 3]]], quad[:, [[1, 2, 3], [1, 3, 0]]])
    return vertices, faces.reshape(-1, 3)


def pair(values, axis):
    """The grid without its last and without its first layer along an axis."""
    return values.take(range(values.shape[axis] - 1), axis), values.take(
        range(1, values.shape[axis]), axis)


def camera_walk():
    """Poses (eye, look) in room coordinates: around the coffee table, mostly looking down a little."""
    for step in range(60):
        angle = 2 * math.pi * step / 30
        eye = np.array(
            [2.55 + 1.25 * math.cos(angle), 1.42 + 0.08 * math.sin(5 * angle),
             1.95 + 0.55 * math.sin(angle)])
        heading = angle + (0.5 if step < 30 else 2.6) + 0.5 * math.sin(3 * angle)
        pitch = math.radians(-31 + 19 * math.sin(2.3 * angle))
        yield eye, np.array([math.cos(heading) * math.cos(pitch), math.sin(pitch),
                             math.sin(heading) * math.cos(pitch)])


def seen(field, vertices, normals):
    """How many poses of the walk see each vertex, out to the five metres of the sensor."""
    views = np.zeros(len(vertices), dtype=int)
    for eye, look in camera_walk():
        eye, look = to_world(eye[None])[0], turn() @ look
        ray = vertices - eye
        length = np.linalg.norm(ray, axis=1)
        ray /= length[:, None]
        candidate = np.flatnonzero(
            (ray @ look > math.cos(math.radians(38))) & (length < 5)
            & (-(ray * normals).sum(axis=1) > 0.16))
        travelled = np.full(len(candidate), 0.1)
        clear = np.ones(len(candidate), dtype=bool)
        while True:
            going = clear & (travelled < length[candidate] - 0.12)
            if not going.any():
                break
            at = candidate[going]
            value = field.at(eye + ray[at] * travelled[going][:, None])
            clear[going] = value > 0.005
            travelled[going] += np.maximum(value, 0.03)
        views[candidate[clear]] += 1
    return views


def vertex_normals(vertices, faces):
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    face_normal = np.cross(b - a, c - a)
    total = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(total, faces[:, k], face_normal)
    return total / np.maximum(np.linalg.norm(total, axis=1), 1e-12)[:, None]


def classify(solids, centroids, generator):
    """The class of each face: of the nearest solid, with ragged borders and wrong patches."""
    jitter = np.stack([smooth_noise(generator, centroids, 0.15) for _ in range(3)], axis=1)
    points = to_room(centroids + 0.035 * jitter)
    nearest, label = shell(points)
    nearest = nearest - 0.01  # what is flush with a wall is the wall's
    for solid in solids:
        distance = solid.distance(points)
        closer = distance < nearest
        nearest = np.where(closer, distance, nearest)
        label[closer] = CLASSES.index(solid.label)
    doubt = smooth_noise(generator, centroids, 0.5) + 0.5 * smooth_noise(generator, centroids, 0.2)
    label[doubt > 0.98] = CLASSES.index("none")
    lone = generator.random(len(centroids)) < 0.004
    label[lone] = generator.choice([0, 0, 1, 4, 5], lone.sum())
    return label


def is_pane(points):
    """Whether a point lies on the glass of the window, which LiDAR does not see."""
    low, high = WINDOW
    on_glass = (points[:, 2] < -0.11) & (points[:, 2] > -0.3)
    for axis in (0, 1):
        on_glass &= (points[:, axis] > low[axis] + 0.12) & (points[:, axis] < high[axis] - 0.12)
    return on_glass & (np.abs(points[:, 0] - 2.35) > 0.1)


def write_obj(path, vertices, faces, labels):
    order = np.argsort(labels, kind="stable")
    lines = [
        "# A furnished living room as a LiDAR scan shows it; made by Tools/make_sample.py.",
        "# Y up, metres, origin where the scan began; one group for each ARKit class.",
        f"# {len(vertices)} vertices, {len(faces)} faces",
    ]
    lines += ["v %.4f %.4f %.4f" % tuple(vertex) for vertex in vertices + 0.0]
    group = None
    for face in order:
        if labels[face] != group:
            group = labels[face]
            lines.append(f"g {CLASSES[group]}")
        lines.append("f %d %d %d" % tuple(faces[face] + 1))
    path.write_text("\n".join(lines) + "\n")


def room():
    """The room as RoomPlan's CapturedRoom: walls, a door and a window, and furniture in boxes."""
    turned = turn()

    def part(kind, pose, center, size, parent=None, **category):
        axes = np.stack(pose, axis=1)
        columns = np.concatenate([turned @ axes, to_world(np.array([center]))[0][:, None]], axis=1)
        matrix = np.concatenate([columns, [[0, 0, 0, 1]]])
        result = {
            "category": {kind: category}, "confidence": {"high": {}},
            "dimensions": [round(float(length), 4) for length in size],
            "identifier": f"{kind}-{center[0]:.2f}-{center[2]:.2f}", "parentIdentifier": parent,
            "transform": [round(float(number), 5) + 0.0 for number in matrix.T.ravel()]}
        return result

    def upright(normal):
        normal = np.array(normal, float)
        return np.cross([0, 1, 0], normal), np.array([0.0, 1, 0]), normal

    def box(kind, low, high):
        low, high = np.array(low), np.array(high)
        return part(kind, np.eye(3), (low + high) / 2, high - low)

    def standing(kind, center, width, height, depth, yaw=0):
        angle = math.radians(yaw)
        pose = (np.array([math.cos(angle), 0, -math.sin(angle)]), np.array([0.0, 1, 0]),
                np.array([math.sin(angle), 0, math.cos(angle)]))
        return part(kind, pose, (center[0], height / 2, center[1]), (width, height, depth))

    width, height, depth = ROOM
    walls = [
        part("wall", upright([0, 0, 1]), (width / 2, height / 2, 0), (width, height, 0)),
        part("wall", upright([0, 0, -1]), (width / 2, height / 2, depth), (width, height, 0)),
        part("wall", upright([1, 0, 0]), (0, height / 2, depth / 2), (depth, height, 0)),
        part("wall", upright([-1, 0, 0]), (width, height / 2, depth / 2), (depth, height, 0))]
    (low, high), (left, right) = WINDOW, DOOR
    floor = (np.array([1.0, 0, 0]), np.array([0.0, 0, -1]), np.array([0.0, 1, 0]))
    return {
        "walls": walls,
        "floors": [part("floor", floor, (width / 2, 0, depth / 2), (width, depth, 0))],
        "windows": [part(
            "window", upright([0, 0, 1]), ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, 0),
            (high[0] - low[0], high[1] - low[1], 0), walls[0]["identifier"])],
        "doors": [part(
            "door", upright([-1, 0, 0]), (width, (left[1] + right[1]) / 2, (left[2] + right[2]) / 2),
            (right[2] - left[2], right[1] - left[1], 0), walls[3]["identifier"], isOpen=False)],
        "openings": [],
        "objects": [
            box("sofa", (0.04, 0, 1.03), (0.92, 0.87, 3.47)),
            box("sofa", (0.92, 0, 2.5), (1.56, 0.42, 3.3)),
            standing("table", (1.65, 1.85), 0.64, 0.46, 1.0, 4),
            standing("table", (2.6, 0.78), 1.36, 0.78, 0.8, -3),
            standing("chair", (2.3, 1.3), 0.46, 0.95, 0.5, 172),
            standing("chair", (2.98, 1.42), 0.46, 0.95, 0.5, 205),
            standing("chair", (3.55, 0.8), 0.46, 0.95, 0.5, -100),
            standing("chair", (3.2, 2.55), 0.84, 0.9, 0.86, -125),
            box("storage", (2.17, 0, 3.36), (3.33, 1.93, 3.7)),
            box("storage", (4.26, 0, 0.75), (4.7, 0.48, 2.25)),
            box("television", (4.4, 0.45, 0.94), (4.6, 1.22, 2.06))],
        "version": 2}


def main():
    if sys.argv[1:] == ["--room"]:
        path = pathlib.Path(__file__).resolve().parent.parent / "samples" / "living-room.room.json"
        path.write_text(json.dumps(room(), indent=1) + "\n")
        return
    generator = np.random.default_rng(SEED)
    solids = list(furniture(generator))
    field = Field(solids, generator)
    vertices, faces = surface_nets(field)
    views = seen(field, vertices, vertex_normals(vertices, faces))
    needed = 1 + (smooth_noise(generator, vertices, 0.3) > 0.1)
    visible = (views >= needed) & ~is_pane(to_room(vertices))
    faces = faces[visible[faces].all(axis=1)]
    vertices = vertices + generator.normal(0, 0.0018, vertices.shape)
    labels = classify(solids, vertices[faces].mean(axis=1), generator)

    used, faces = np.unique(faces, return_inverse=True)
    vertices, faces = vertices[used], faces.reshape(-1, 3)
    path = pathlib.Path(__file__).resolve().parent.parent / "samples" / "living-room.obj"
    if len(sys.argv) > 1:
        path = pathlib.Path(sys.argv[1])
    path.parent.mkdir(parents=True, exist_ok=True)
    write_obj(path, vertices, faces, labels)
    print(f"{path.name}: {len(vertices)} vertices, {len(faces)} faces")
    for label, count in zip(CLASSES, np.bincount(labels, minlength=len(CLASSES))):
        print(f"  {label:8} {count}")


if __name__ == "__main__":
    main()
