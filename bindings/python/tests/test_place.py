#!/usr/bin/env python3
"""Tests of places on maps: what the module reads and writes is looked at in the bytes of the files themselves."""

import io
import json
import os
import pickle
import struct
import sys
import tempfile
from dataclasses import replace

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import meshpipe  # noqa: E402
from test_meshpipe import raised  # noqa: E402
from meshpipe.wire import FRAME, MAGIC, WireError, read_message, write_message  # noqa: E402

PLACE = (392000.0, 5820000.0, 0.0)
UTM33 = "EPSG:25833"


def write_las(path, points, code=25833):
    """LAS 1.2 in millimetres with a GeoTIFF key of the map."""
    keys = struct.pack("<16H", 1, 1, 0, 3, 1024, 0, 1, 1, 3072, 0, 1, code, 3076, 0, 1, 9001)
    record = struct.pack("<H16sHH32s", 0, b"LASF_Projection", 34735, len(keys), b"keys") + keys
    steps = np.round((points - PLACE) / 0.001).astype("<i4")
    header = struct.pack(
        "<4sHH16xBB32s32sHHHLLBHL5L12d", b"LASF", 7, 0, 1, 2, b"SCANNER", b"test", 1, 2026, 227, 227 + len(record), 1,
        0, 20, len(points), len(points), 0, 0, 0, 0, 0.001, 0.001, 0.001, *PLACE,
        *np.stack([points.max(0), points.min(0)], 1).ravel())
    with open(path, "wb") as file:
        file.write(header + record)
        for x, y, z in steps:
            file.write(struct.pack("<3iHBBbBH", x, y, z, 0, 9, 2, 0, 0, 0))


def read_las(path):
    """The coordinates, and the records that describe the map as text."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:4] == b"LASF"
    size, start, records = struct.unpack_from("<HLL", data, 94)
    length, = struct.unpack_from("<H", data, 105)
    count, = struct.unpack_from("<L", data, 107)
    if data[25] == 4:
        count, = struct.unpack_from("<Q", data, 247)
    scale = np.frombuffer(data, "<f8", 6, 131)
    steps = [struct.unpack_from("<3i", data, start + point * length) for point in range(count)]
    words, place = [], size
    for _ in range(records):
        number, bytes_ = struct.unpack_from("<HH", data, place + 18)
        body = data[place + 54:place + 54 + bytes_]
        if number == 2112:
            words.append(body.decode())
        if number == 34735:
            values = struct.unpack(f"<{bytes_ // 2}H", body)
            words += [f"EPSG:{values[key + 3]}" for key in range(4, len(values), 4) if values[key] == 3072]
        place += 54 + bytes_
    return np.array(steps) * scale[:3] + scale[3:], words


def hill():
    """300 points of a hill, in whole millimetres."""
    random = np.random.default_rng(1)
    places = random.uniform(0, 40, (300, 3))
    places[:, 2] = 55 + 3 * np.sin(places[:, 0] / 6)
    return np.round(places, 3) + PLACE


def same(found, expected):
    """Whether the coordinates are the same to a millimetre."""
    return found.shape == expected.shape and np.abs(found - expected).max() < 1e-3


def back(scene):
    """A scene after the way through a message."""
    stream = io.BytesIO()
    write_message(stream, "scene", scene=scene)
    stream.seek(0)
    return read_message(stream)["scene"]


def test_a_survey_keeps_its_place():
    with tempfile.TemporaryDirectory() as folder:
        path, copy, thin, ply = (os.path.join(folder, name) for name in ("a.las", "copy.las", "thin.las", "a.ply"))
        points = hill()
        write_las(path, points)
        scene = meshpipe.read(path)
        assert scene.reference_system.code == UTM33 and scene.reference_system.name == "ETRS89 / UTM zone 33N"
        assert same(scene.point_clouds[0].positions + scene.origin, points)
        assert repr(scene).endswith("origin (392000, 5820000, 0), EPSG:25833)")
        meshpipe.write(scene, copy)
        meshpipe.run(["thin-points spacing=1mm"], scene, output=[thin, ply])
        for found, words in (read_las(copy), read_las(thin)):
            assert same(found, points) and words and all("25833" in text for text in words), words
        written = meshpipe.read(ply)
        assert same(written.point_clouds[0].positions + written.origin, points)
        facts = meshpipe.info(scene)
        assert facts["referenceSystem"]["code"] == UTM33, facts


def test_a_scene_as_a_file_keeps_all_that_a_survey_says():
    with tempfile.TemporaryDirectory() as folder:
        path, scene, again, direct = (os.path.join(folder, n) for n in ("a.las", "a.meshscene", "b.las", "c.las"))
        write_las(path, hill())
        meshpipe.run([], path, output=scene)
        # Provenance names the input.
        meshpipe.run([], scene, output=again, options=["--no-provenance"])
        meshpipe.run([], path, output=direct, options=["--no-provenance"])
        assert open(again, "rb").read() == open(direct, "rb").read()
        assert any("25833" in text for text in read_las(again)[1])


def test_the_place_comes_back_in_messages():
    scene = meshpipe.Scene(point_clouds=[meshpipe.PointCloud(np.zeros((1, 3), np.float32))])
    assert back(scene).origin == (0, 0, 0)
    assert back(scene).reference_system is None and back(scene).survey is None
    scene.origin = np.array(PLACE)
    scene.reference_system = meshpipe.ReferenceSystem("EPSG:2263", "New York", 0.3048, 1, True)
    scene.reference_system._records.append({"user": "a", "id": 2112, "base64": "QQA="})
    scene.survey = {"sourceID": 7}
    found = back(scene)
    assert found.origin == PLACE and found.reference_system == scene.reference_system
    assert found.survey == scene.survey and pickle.loads(pickle.dumps(found.reference_system)) == found.reference_system
    # Another map is not described by what was said of this one.
    assert replace(found.reference_system, code=UTM33)._records == []
    assert isinstance(raised(setattr, scene, "crs", 1), meshpipe.UnknownAttributeError)


def test_a_map_can_be_given():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.las")
        points = hill()
        cloud = meshpipe.PointCloud(points)
        scene = meshpipe.Scene(point_clouds=[cloud], coordinate_system=meshpipe.CoordinateSystem("z", "y"))
        for code in (UTM33, "EPSG:2056"):
            scene.reference_system = meshpipe.ReferenceSystem(code)
            meshpipe.write(scene, path)
            found, words = read_las(path)
            assert same(found, points) and words and all(code[5:] in text for text in words), words
        assert cloud.positions is points, "what was given is as it was"


def grid(size=30):
    """A curved surface of small faces."""
    x, z = np.meshgrid(np.arange(size) * 0.01, np.arange(size) * 0.01)
    positions = np.stack([x, np.sin(9 * x) / 9, z], -1).reshape(-1, 3).astype(np.float32)
    at = (np.arange(size - 1)[:, None] * size + np.arange(size - 1)).ravel()
    faces = np.concatenate([np.stack([at, at + size, at + 1], 1), np.stack([at + 1, at + size, at + size + 1], 1)])
    return meshpipe.Mesh(positions, faces, "grid")


def test_float64_positions_far_away_are_written_near_an_origin():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "far.ply")
        mesh = grid()
        area = meshpipe.info(meshpipe.Scene([mesh]))["area"]
        near = mesh.positions.astype("f8")
        mesh.positions = near + [500000, 0, 5000000]
        # What is in single precision, and where photographs were taken, moves along.
        pose = np.eye(4)
        pose[:3, 3] = 500001, 2, 5000003
        frame = meshpipe.Frame("a", "a.jpg", (4, 3), (4, 4), (2, 1.5), pose)
        cloud = meshpipe.PointCloud(np.float32([[500000, 1, 5000000]]))
        scene = meshpipe.Scene([mesh], [cloud], frames=[frame], origin=(0, 100, 0))
        found = back(scene)
        assert found.origin == (500000, 100, 5000000)
        assert np.array_equal(found.meshes[0].positions, near.astype("f4"))
        assert found.point_clouds[0].positions.tolist() == [[0, 1, 0]]
        assert found.frames[0].pose[:3, 3].tolist() == [1, 2, 3] and pose[0, 3] == 500001
        scene = meshpipe.Scene([mesh])
        meshpipe.write(scene, path)
        assert abs(meshpipe.info(path)["area"] - area) < 1e-4 * area
        report = meshpipe.run(["clean"], scene, output=path)
        assert report["outputs"][0]["counts"]["faces"] == len(mesh.faces)
        # Numbers near zero, or in a unit that makes them near, need no origin.
        mesh.positions = near + 9000
        assert back(scene).origin == (0, 0, 0)
        mesh.positions = near + 500000
        scene.coordinate_system = meshpipe.CoordinateSystem(meters_per_unit=0.001)
        assert back(scene).origin == (0, 0, 0)


def test_parts_too_far_from_each_other_are_refused():
    near, far = grid(), grid()
    far.name = "far"
    far.positions = far.positions.astype("f8") + [500000, 0, 0]
    error = raised(back, meshpipe.Scene([near, far]))
    assert isinstance(error, WireError) and "positions of 'far' would be rounded by up to 0.01" in str(error), error
    far.positions = far.positions.astype("f4")
    assert back(meshpipe.Scene([near, far])).meshes[1].positions[0, 0] == 500000
    # A large scene is rounded no more than its size allows, and whole numbers and gaps are no matter.
    wide = meshpipe.PointCloud(np.array([[-400000.25, 0, 0], [400000, np.nan, 0], [400000, 0, 0]]))
    assert back(meshpipe.Scene(point_clouds=[wide])).origin == (0, 0, 0)
    whole = meshpipe.PointCloud(np.array([[5820000, 1, 2], [5820003, 1, 2]]))
    found = back(meshpipe.Scene(point_clouds=[whole]))
    assert found.origin == (5820000, 0, 0) and found.point_clouds[0].positions[:, 0].tolist() == [0, 3]
    assert back(meshpipe.Scene([meshpipe.Mesh()], [meshpipe.PointCloud(np.zeros((0, 3)))])).origin == (0, 0, 0)


def test_places_that_can_not_be_are_refused():
    scene = meshpipe.Scene()
    system = meshpipe.ReferenceSystem
    for name, value in [
            ("origin", (1, 2)), ("origin", "123"), ("origin", (0, float("nan"), 0)), ("origin", (1e39, 0, 0)),
            ("origin", None), ("reference_system", system(25833)), ("reference_system", system(UTM33, None, 0)),
            ("survey", {"a": float("nan")}), ("survey", {"a": scene})]:
        scene = meshpipe.Scene()
        setattr(scene, name, value)
        assert isinstance(raised(back, scene), WireError), (name, value)
    axes = '"coordinateSystem":{"up":"y","forward":"-z","handedness":"right","metersPerUnit":1}'
    for member in ('"origin":[NaN,0,0]', '"origin":["1",0,0]', '"origin":[1e39,0,0]', '"origin":[1e999,0,0]',
                   '"origin":7', '"referenceSystem":"EPSG:1"', '"referenceSystem":{"code":1}',
                   '"referenceSystem":{"verticalUnit":NaN}', '"referenceSystem":{"horizontalUnit":"1"}',
                   '"referenceSystem":{"records":[1]}', '"survey":7', '"survey":"a"'):
        text = ('{"kind":"scene",' + axes + ',"meshes":[],' + member + "}").encode()
        message = FRAME.pack(MAGIC, 1, len(text), 0) + text
        assert isinstance(raised(read_message, io.BytesIO(message)), WireError), member
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.meshscene")
            with open(path, "wb") as file:
                file.write(message)
            assert raised(meshpipe.info, path).code == 65, member


STAGE = """
import numpy as np
import meshpipe

@meshpipe.stage
def place(scene, how=""):
    cloud = scene.point_clouds[0]
    if how == "anew":
        return meshpipe.Scene(point_clouds=[meshpipe.PointCloud(cloud.positions)], coordinate_system=scene.coordinate_system)
    if how == "east":
        scene.origin = (scene.origin[0] + 1000, *scene.origin[1:])
    if how == "double":
        cloud.positions = cloud.positions + np.array(scene.origin)
        scene.origin = (0, 0, 0)
    if how == "zero":
        scene.origin, scene.reference_system = (0, 0, 0), None

meshpipe.main()
"""


def test_stages_keep_the_place_or_change_it():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "place.py"), "w") as file:
            file.write(STAGE)
        with open(os.path.join(folder, "place.meshpipe-plugin.json"), "w") as file:
            json.dump({"meshpipePlugin": 1, "name": "place", "version": "1", "protocol": 1, "interpreter": ["python3"],
                       "executable": "place.py", "stages": [{"name": "place", "summary": "Places a scene.", "parameters": {
                           "type": "object", "properties": {"how": {"type": "string", "default": ""}}}}]}, file)
        path, out = os.path.join(folder, "a.las"), os.path.join(folder, "out.las")
        points = hill()
        write_las(path, points)
        for how, moved, has_map in [("same", 0, True), ("anew", 0, True), ("east", (1000, 0, 0), True),
                                    ("double", 0, True), ("zero", np.negative(PLACE), False)]:
            meshpipe.run([f"place how={how}"], path, output=out, plugins=[folder])
            found, words = read_las(out)
            assert same(found, points + moved), (how, found[:3], points[:3])
            assert [UTM33[5:] in text for text in words] == [True] * len(words) and bool(words) == has_map, (how, words)


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
    print("ok")
