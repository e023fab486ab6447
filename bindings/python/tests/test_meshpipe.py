#!/usr/bin/env python3
"""Tests of the module; 'python3 -m pytest', or by itself. They need the command: MESHPIPE_EXECUTABLE."""

import io
import os
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import meshpipe  # noqa: E402
from meshpipe.wire import WireError, read_message, write_message  # noqa: E402


def square():
    """A unit square of two faces with every attribute."""
    mesh = meshpipe.Mesh(
        np.array([[0, 0, 0], [1, 0, 0], [1, 0, -1], [0, 0, -1]], np.float32),
        np.array([[0, 1, 2], [0, 2, 3]], np.uint32), "square")
    mesh.normals = np.tile(np.float32([0, 1, 0]), (4, 1))
    mesh.colors = np.arange(16, dtype=np.uint8).reshape(4, 4)
    mesh.confidences = np.arange(4, dtype=np.float32)
    mesh.texture_coordinates = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    mesh.corner_normals = np.tile(np.float32([0, 1, 0]), (2, 3, 1))
    mesh.face_materials = np.array([0, 1], np.uint32)
    mesh.classes = meshpipe.Classes(np.array([1, 2], np.uint16))
    return meshpipe.Scene(
        [mesh], name="square",
        materials=[meshpipe.Material("plain"), meshpipe.Material("red", (1, 0, 0, 1))])


def test_messages_come_back():
    stream = io.BytesIO()
    scene = square()
    write_message(stream, "scene", scene=scene)
    stream.seek(0)
    found = read_message(stream)["scene"]
    for name, values in vars(scene.meshes[0]).items():
        if isinstance(values, np.ndarray):
            assert np.array_equal(getattr(found.meshes[0], name), values), name
    assert np.array_equal(found.meshes[0].classes.labels, [1, 2])
    assert found.materials == scene.materials
    assert read_message(stream) is None


def test_arrays_that_do_not_fit_are_refused():
    for name, values in [
        ("normals", np.zeros((3, 3))), ("faces", np.array([[0, 1, -2]])),
        ("colors", np.full((4, 4), 256)), ("texture_coordinates", np.zeros((4, 2))),
    ]:
        scene = square()
        setattr(scene.meshes[0], name, values)
        try:
            write_message(io.BytesIO(), "scene", scene=scene)
        except WireError as error:
            assert name in str(error), error
        else:
            raise AssertionError(name)


def test_faces_are_chosen_with_all_that_they_have():
    mesh = square().meshes[0]
    mesh.keep_faces(mesh.classes.named("floor"))
    mesh.drop_unused_vertices()
    assert mesh.faces.tolist() == [[0, 1, 2]]
    assert mesh.positions.tolist() == [[0, 0, 0], [1, 0, -1], [0, 0, -1]]
    assert mesh.classes.labels.tolist() == [2] and len(mesh.texture_coordinates) == 1


def test_scenes_go_through_the_command():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "square.ply")
        meshpipe.write(square(), path)
        found = meshpipe.read(path)
        assert found.meshes[0].faces.shape == (2, 3)
        report = meshpipe.run(["clean"], found, output=os.path.join(folder, "out.glb"))
        assert report["outcome"] == "done"
        assert report["outputs"][0]["counts"]["faces"] == 2


def test_pipelines_run_with_variables():
    pipeline = {
        "meshpipe": 1,
        "variables": {"keep": {"type": "[class]", "default": ["wall"]}},
        "stages": [{"use": "filter-classification", "with": {"keep": "${keep}"}}],
        "outputs": [{"path": "out.meshscene"}],
    }
    with tempfile.TemporaryDirectory() as folder:
        meshpipe.run(pipeline, square(), {"keep": ["floor"]}, output=folder)
        found = meshpipe.read(os.path.join(folder, "out.meshscene"))
        assert [len(mesh.faces) for mesh in found.meshes] == [1]


def test_failures_have_words_and_code():
    try:
        meshpipe.run(["weldd"], square(), output="out.ply")
    except meshpipe.MeshpipeError as error:
        assert error.code == 69 and "did you mean 'weld'?" in str(error)
    else:
        raise AssertionError("no error")


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
    print("ok")
