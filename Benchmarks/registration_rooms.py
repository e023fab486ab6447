"""Synthetic scans of rooms of which the place of each is known, for registration.py.

A room is a list of rectangles that look inwards, with boxes for furniture. A scan of it has triangles of its own (about
seven centimetres), noise of its own, and only the part within a range; it is turned about the vertical (y) and shifted.
"""

import numpy as np

CELL = 0.07


class Room:
    """Rectangles: a corner and two sides, whose cross product looks to where they are seen from."""

    def __init__(self):
        self.rectangles = []

    def add(self, corner, u, v):
        self.rectangles.append(tuple(np.array(x, float) for x in (corner, u, v)))

    def shell(self, low, high, open_sides=()):
        """The inside of a box."""
        (x, y, z), (a, b, c) = low, high
        w, h, d = a - x, b - y, c - z
        sides = {
            "floor": ((x, y, z), (0, 0, d), (w, 0, 0)), "ceiling": ((x, b, z), (w, 0, 0), (0, 0, d)),
            "north": ((x, y, z), (w, 0, 0), (0, h, 0)), "south": ((a, y, c), (-w, 0, 0), (0, h, 0)),
            "west": ((x, y, c), (0, 0, -d), (0, h, 0)), "east": ((a, y, z), (0, 0, d), (0, h, 0)),
        }
        for name, side in sides.items():
            if name not in open_sides:
                self.add(*side)

    def box(self, low, high, turn=0.0):
        """The outside of a box on the floor, turned about its middle."""
        low, high = np.array(low, float), np.array(high, float)
        middle, (w, h, d) = (low + high) / 2, high - low
        c, s = np.cos(turn), np.sin(turn)
        rotation = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
        x, y, z = -w / 2, -h / 2, -d / 2
        for corner, u, v in [
            ((x, -y, z), (0, 0, d), (w, 0, 0)), ((x, y, -z), (w, 0, 0), (0, h, 0)),
            ((-x, y, z), (-w, 0, 0), (0, h, 0)), ((x, y, z), (0, 0, d), (0, h, 0)),
            ((-x, y, -z), (0, 0, -d), (0, h, 0)),
        ]:
            self.add(middle + rotation @ corner, rotation @ u, rotation @ v)


def furnished(random, size=None):
    """A room with furniture at random places."""
    w, d = size or random.uniform(3.5, 8, 2)
    h = random.uniform(2.4, 3.0)
    room = Room()
    room.shell((0, 0, 0), (w, h, d))
    for _ in range(random.integers(4, 9)):
        size = random.uniform((0.4, 0.4, 0.4), (1.8, min(2.1, h - 0.2), 0.9))
        if random.random() < 0.5:
            size = size[[2, 1, 0]]
        turn = random.uniform(-np.pi, np.pi) if random.random() < 0.25 else 0.0
        place = random.uniform((0, 0, 0), (max(w - size[0], 0.1), 0, max(d - size[2], 0.1)))
        if random.random() < 0.6 and turn == 0:
            side = random.integers(4)
            place[0 if side < 2 else 2] = (0, w - size[0], 0, d - size[2])[side]
        room.box(place, place + size, turn)
    return room


def flat(random, count):
    """Rooms in a row with openings between them; also the middles of the rooms."""
    room, x, middles = Room(), 0.0, []
    h = random.uniform(2.4, 2.8)
    for index in range(count):
        w, d = random.uniform(3.5, 5.5), random.uniform(3.5, 5.0)
        part = furnished(random, (w, d))
        door = random.uniform(0.6, 2.0)
        for corner, u, v in part.rectangles[:2] + part.rectangles[2:4] + part.rectangles[6:]:
            room.add(corner + (x, 0, 0), u, v)
        for at, out in ((x, 1), (x + w, -1)):
            if (at == x and index == 0) or (at != x and index == count - 1):
                pieces = [(0, d)]
            else:
                pieces = [(0, 1.0), (2.2, d)]
            for low, high in pieces:
                n = high - low
                if out == 1:
                    room.add((at, 0, high), (0, 0, -n), (0, h, 0))
                else:
                    room.add((at, 0, low), (0, 0, n), (0, h, 0))
        middles.append(x + w / 2)
        x += w + 0.15
        del door
    return room, middles


def scan(room, random, keep=None, noise=0.008):
    """Vertices and triangles of one scan, in the coordinates of the room."""
    vertices, faces, count = [], [], 0
    for corner, u, v in room.rectangles:
        lines = []
        for side in (u, v):
            length = np.linalg.norm(side)
            n = max(int(length / CELL), 1)
            inner = (np.arange(n - 1) + random.uniform(0.6, 1.4)) / n if n > 1 else np.zeros(0)
            lines.append(np.concatenate([[0], inner[inner < 1], [1]]))
        s, t = np.meshgrid(*lines, indexing="ij")
        grid = corner + s[..., None] * u + t[..., None] * v
        rows, columns = s.shape
        index = np.arange(rows * columns).reshape(rows, columns) + count
        a, b, c, d = index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]
        faces += [np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)]
        vertices.append(grid.reshape(-1, 3))
        count += rows * columns
    vertices, faces = np.concatenate(vertices), np.concatenate(faces)
    if keep is not None:
        faces = faces[keep(vertices[faces].mean(1))]
    used, faces = np.unique(faces, return_inverse=True)
    vertices = vertices[used] + random.normal(0, noise, (len(used), 3))
    return vertices, faces.reshape(-1, 3)


def movement(random, reach=8.0, turn=None):
    """A turn about the vertical and a shift."""
    angle = random.uniform(-np.pi, np.pi) if turn is None else turn
    c, s = np.cos(angle), np.sin(angle)
    matrix = np.eye(4)
    matrix[:3, :3] = [[c, 0, s], [0, 1, 0], [-s, 0, c]]
    matrix[:3, 3] = random.uniform(-reach, reach, 3) * (1, 0.2, 1)
    return matrix


def apply(matrix, vertices):
    return vertices @ matrix[:3, :3].T + matrix[:3, 3]
