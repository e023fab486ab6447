#!/usr/bin/env python3
"""Tests of the module; 'python3 -m pytest', or by itself. They need the command: MESHPIPE_EXECUTABLE."""

import io
import json
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import warnings

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import meshpipe  # noqa: E402
from meshpipe import command, plugin  # noqa: E402
from meshpipe.shared import SharedMemory  # noqa: E402
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
    mesh.second_texture_coordinates = mesh.texture_coordinates + 20
    mesh.corner_normals = np.tile(np.float32([0, 1, 0]), (2, 3, 1))
    mesh.tangents = np.tile(np.float32([1, 0, 0, -1]), (2, 3, 1))
    mesh.face_materials = np.array([0, 1], np.uint32)
    mesh.classes = meshpipe.Classes(np.array([1, 2], np.uint16))
    mesh.vertex_attributes["intensity"] = np.array([1, 2, 3, 4], np.uint16)
    mesh.corner_attributes["seam"] = np.arange(6, dtype=np.float64).reshape(2, 3)
    mesh.face_attributes["rot"] = np.arange(8, dtype=np.float32).reshape(2, 4)
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
    for where in ("vertex_attributes", "corner_attributes", "face_attributes"):
        for name, values in getattr(scene.meshes[0], where).items():
            again = getattr(found.meshes[0], where)[name]
            assert np.array_equal(again, values) and again.dtype == values.dtype, name
    assert np.array_equal(found.meshes[0].classes.labels, [1, 2])
    assert found.materials == scene.materials
    assert read_message(stream) is None


def test_arrays_stay_in_shared_memory():
    if not hasattr(os, "memfd_create"):
        return  # not on this system
    descriptor = os.memfd_create("test")
    os.ftruncate(descriptor, 4096)
    ours = SharedMemory(descriptor, 4096)
    ours.smallest = 0
    theirs = SharedMemory.accepting({"descriptor": descriptor, "bytes": 4096})
    stream = io.BytesIO()
    write_message(stream, "scene", scene=square(), shared=ours)
    assert len(stream.getvalue()) < 2000
    stream.seek(0)
    found = read_message(stream, theirs)["scene"]
    assert np.array_equal(found.meshes[0].normals, square().meshes[0].normals)
    # What is changed there is changed for both, and goes back to the same place.
    found.meshes[0].positions[0, 1] = 7
    theirs.smallest = 0
    answer = io.BytesIO()
    write_message(answer, "scene", scene=found, shared=theirs)
    answer.seek(0)
    assert read_message(answer, ours)["scene"].meshes[0].positions[0, 1] == 7
    # Where there is no room, arrays go through the stream; what is no such memory is not taken.
    found.meshes[0].normals = np.zeros((4, 3), np.float32)
    found.textures = [meshpipe.Texture(bytes(5000))]
    answer = io.BytesIO()
    write_message(answer, "scene", scene=found, shared=theirs)
    assert len(answer.getvalue()) > 5000
    for offer in [None, {}, {"descriptor": descriptor, "bytes": 8192}, {"descriptor": 999, "bytes": 1}]:
        assert SharedMemory.accepting(offer) is None
    os.close(descriptor)


def test_places_that_can_not_be_are_refused():
    if not hasattr(os, "memfd_create"):
        return
    descriptor = os.memfd_create("test")
    os.ftruncate(descriptor, 4096)
    memory = SharedMemory(descriptor, 4096)
    memory.smallest = 0
    stream = io.BytesIO()
    write_message(stream, "scene", scene=square(), shared=memory)
    whole = stream.getvalue()
    for old, new in [(b"[0, ", b"[-1,"), (b'"shared": [0, ', b'"shared": [["a'), (b"[0, ", b"[9e9")]:
        damaged = whole.replace(old, new)
        assert damaged != whole
        for shared in (memory, None):
            try:
                read_message(io.BytesIO(damaged), shared)
            except WireError:
                continue
            raise AssertionError(new)
    os.close(descriptor)


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


def test_what_reading_and_writing_assume_and_lose_is_told():
    def told(work):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = work()
        assert all(warning.category is meshpipe.MeshpipeWarning for warning in caught)
        assert all(warning.filename == __file__ for warning in caught)
        return result, [str(warning.message) for warning in caught]

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.obj")
        with open(path, "w") as file:
            file.write("mtllib lost.mtl\nusemtl red\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        scene, said = told(lambda: meshpipe.read(path))
        assert len(said) == 1 and "lost.mtl" in said[0], said
        assert scene.warnings == said
        # STL holds nothing of this but the faces.
        _, said = told(lambda: meshpipe.write(square(), os.path.join(folder, "b.stl")))
        assert any("STL can't hold" in line for line in said), said
        assert not any("/meshpipe-" in line for line in said), said


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


def test_a_scene_prints_in_a_line():
    scene = square()
    assert repr(scene) == "Scene('square', 2 faces in 1 mesh, 2 materials, y up, unit 1 m)"
    assert repr(scene.meshes[0]).startswith("Mesh('square', 2 faces, 4 vertices, normals, colors")


def test_info_check_and_preview():
    scene = square()
    assert meshpipe.info(scene)["faces"] == 2
    assert meshpipe.info(scene)["drawCalls"] == 2
    good = {"meshpipe": 1, "stages": [{"use": "weld"}], "outputs": [{"path": "${stem}.glb"}]}
    assert meshpipe.check(good) == []
    bad = {"meshpipe": 1, "stages": [{"use": "wled"}], "outputs": [{"path": "${stem}.glb"}]}
    assert any("did you mean 'weld'" in line for line in meshpipe.check(bad))
    assert meshpipe.preview(scene, size=(64, 48))[:4] == b"\x89PNG"


def test_runs_tell_how_far_they_are_and_can_be_cancelled():
    with tempfile.TemporaryDirectory() as folder:
        events = []
        target = os.path.join(folder, "out.glb")
        report = meshpipe.run(["weld"], square(), output=target, on_progress=events.append)
        assert report["outcome"] == "done"
        assert [e["name"] for e in events if e["event"] == "stage"] == ["weld"]
        assert all(0 <= e["overall"] <= 1 for e in events if e["event"] == "progress")
        # Cancelled as soon as it begins, a run of many faces leaves nothing.
        n = 400
        places = np.stack(np.meshgrid(np.arange(n), [0], np.arange(n)), -1).reshape(-1, 3)
        at = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel().astype(np.uint32)
        faces = np.concatenate([np.stack([at, at + 1, at + n], 1),
                                np.stack([at + 1, at + n + 1, at + n], 1)])
        large = meshpipe.Scene([meshpipe.Mesh(places.astype(np.float32), faces, "large")])
        cancel = threading.Event()
        target = os.path.join(folder, "never.glb")
        try:
            meshpipe.run(["decimate faces=1% quality=best"] * 4, large, output=target,
                         on_progress=lambda event: cancel.set(), cancel=cancel)
        except meshpipe.MeshpipeError as error:
            assert error.code == 130, error
            assert not os.path.exists(target)
        else:
            raise AssertionError("the run was not cancelled")


def test_failures_have_words_and_code():
    try:
        meshpipe.run(["weldd"], square(), output="out.ply")
    except meshpipe.MeshpipeError as error:
        assert error.code == 69 and "did you mean 'weld'?" in str(error)
    else:
        raise AssertionError("no error")


def test_an_attribute_that_is_not_there_is_refused():
    scene = square()
    for thing, name, words in [
            (scene.meshes[0], "indices", "it has positions, faces"), (scene, "mesh", "did you mean 'meshes'?"),
            (scene.materials[0], "colour", "'Material' has no attribute 'colour'")]:
        try:
            setattr(thing, name, None)
        except AttributeError as error:
            assert words in str(error), error
        else:
            raise AssertionError(name)


def raised(function, *arguments, **options):
    """The MeshpipeError of a call."""
    try:
        function(*arguments, **options)
    except meshpipe.MeshpipeError as error:
        return error
    raise AssertionError("no error")


def pipeline_of(*stages, **members):
    return {"meshpipe": 1, "stages": list(stages), "outputs": [{"path": "${stem}.glb"}], **members}


def test_all_errors_are_of_one_family():
    bent = square()
    bent.meshes[0].normals = np.zeros((3, 3))
    with tempfile.TemporaryDirectory() as folder:
        damaged = os.path.join(folder, "damaged.meshscene")
        stream = io.BytesIO()
        write_message(stream, "scene", scene=square())
        whole = stream.getvalue()
        missing = os.path.join(folder, "missing.meshscene")
        for kind, code, words, call in [
                (meshpipe.MeshpipeError, 66, "missing.meshscene: can't read: no such file", (meshpipe.read, missing)),
                (meshpipe.MeshpipeError, 66, "missing.obj: can't read", (meshpipe.read, "missing.obj")),
                (meshpipe.MeshpipeError, 73, "can't write: no such file",
                 (meshpipe.write, square(), missing + "/a.meshscene")),
                (WireError, 65, "normals of 'square'", (meshpipe.write, bent, os.path.join(folder, "a.ply"))),
                (WireError, 65, "normals of 'square'", (meshpipe.info, bent)),
                (meshpipe.MeshpipeError, 64, "has no attribute 'mesh'", (setattr, square(), "mesh", 1)),
                (AttributeError, 64, "has no attribute 'mesh'", (setattr, square(), "mesh", 1)),
                (meshpipe.MeshpipeError, 64, "neither", (meshpipe.Amount().of, 3)),
        ]:
            error = raised(*call)
            assert isinstance(error, kind) and error.code == code and words in str(error), (call, error)
        for call in ((meshpipe.write, None, "x.glb"), (meshpipe.write, None, "x.meshscene"), (meshpipe.read, 5),
                     (meshpipe.write, square(), 5), (meshpipe.run, 5, square()), (meshpipe.run, [5], square()),
                     (meshpipe.run, ["weld"], square(), 5), (meshpipe.run, ["weld"], None)):
            error = raised(*call)
            assert isinstance(error, meshpipe.ArgumentTypeError) and isinstance(error, TypeError), (call, error)
            assert isinstance(error, meshpipe.MeshpipeError) and str(error).startswith("expected a"), (call, error)
        for content in (b"", b"solid of STL" * 9, whole[:50], whole[:-1], whole.replace(b'"up"', b'"pu"'),
                        whole.replace(b'{"kind"', b'["kind"')):
            with open(damaged, "wb") as file:
                file.write(content)
            error = raised(meshpipe.read, damaged)
            assert isinstance(error, WireError) and error.code == 65 and damaged in str(error), error
    # Those of plugins, too, and processes hand each other all of them.
    for error in (meshpipe.MeshpipeError("a", 66, {"b": 1}), meshpipe.Fault("a", 75), WireError("a"),
                  meshpipe.UnknownAttributeError("a"), meshpipe.ArgumentTypeError("a")):
        assert isinstance(error, meshpipe.MeshpipeError)
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and str(again) == "a" and vars(again) == vars(error)
    # The names of earlier versions are the same things.
    assert command.MeshpipeError is meshpipe.MeshpipeError
    assert plugin.Fault is meshpipe.Fault and meshpipe.WireError is WireError


def test_plugins_wait_for_nothing_that_they_do_not_need():
    code = """if True:
        import sys, numpy
        before = set(sys.modules)
        import meshpipe
        meshpipe.MeshpipeError, meshpipe.Fault
        print(*set(sys.modules) - before)
        """
    found = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": os.path.dirname(meshpipe.__path__[0])},
        stdout=subprocess.PIPE, check=True).stdout.decode().split()
    assert "meshpipe.errors" in found
    for name in ("meshpipe.command", "meshpipe.workspace", "subprocess", "tempfile", "numpy.typing", "difflib"):
        assert name not in found, name


def test_messages_name_what_was_given_and_no_temporary_file():
    scene = square()
    scene.name = "living room\x1b/1"
    name = "living room__1 (Scene)"
    bad = pipeline_of({"use": "wled"})
    mistake = "pipeline (dict): error: unknown stage 'wled'; did you mean 'weld'? [stages[0].use]"
    assert meshpipe.check(bad) == meshpipe.check(bad, scene) == [mistake]
    assert str(raised(meshpipe.run, bad, scene)) == mistake
    events = []
    assert str(raised(meshpipe.run, bad, scene, on_progress=events.append)) == mistake
    assert events[0]["file"] == "pipeline (dict)" and "line" not in events[0]
    assert meshpipe.info(scene)["file"] == name
    assert meshpipe.info(meshpipe.Scene())["file"] == "input (Scene)"
    unreadable = ["--input-format", "ply"]
    for call in [(meshpipe.info, scene), (meshpipe.preview, scene), (meshpipe.write, scene, "a.ply"),
                 (meshpipe.run, ["weld"], scene)]:
        error = raised(*call, options=unreadable + (["-o", "a.ply"] if call[0] is meshpipe.run else []))
        assert f"{name}: is not a PLY file" in str(error), error
    # A file's line and column are said, whether events are asked for or not.
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bad.json")
        with open(path, "w") as file:
            file.write('{"meshpipe": 1,\n"stages": [{"use": "wled"}], "outputs": [{"path": "a.ply"}]}')
        texts = {str(raised(meshpipe.run, path, scene, on_progress=watch)) for watch in (None, events.append)}
        assert texts == {mistake.replace("pipeline (dict)", path + ":2:20")}, texts
    assert error.report["pipeline"]["input"] == name and name in error.report["failure"]
    with tempfile.TemporaryDirectory() as folder:
        events = []
        report = meshpipe.run(pipeline_of({"use": "weld"}), scene, output=folder, on_progress=events.append)
        assert report["pipeline"]["file"] == "pipeline (dict)" and report["input"]["path"] == name
        assert [event["name"] for event in events if event["event"] == "read"] == [name]
        assert "meshpipe-" not in json.dumps([report, events])
        # The scene's name is that of the file, where it can be.
        assert os.listdir(folder) == ["living room__1.glb"]
        scene.name = "\u00fc" * 300
        name = "\u00fc" * 100 + " (Scene)"
        assert meshpipe.info(scene)["file"] == name
        scene.materials = []
        assert f"{name}: mesh 'square': face 0 refers to material 0" in str(raised(meshpipe.info, scene))


def test_other_temporary_files_are_called_so():
    # A stand-in for a command whose disk is full.
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        with open(program, "w") as file:
            file.write("#!/bin/sh\nfor word; do\n"
                       '  case $word in *.png) echo "$word: no space left" >&2;; esac\ndone\nexit 74\n')
        os.chmod(program, 0o755)
        before = os.environ.get("MESHPIPE_EXECUTABLE")
        os.environ["MESHPIPE_EXECUTABLE"] = program
        try:
            error = raised(meshpipe.preview, "scan.obj")
        finally:
            del os.environ["MESHPIPE_EXECUTABLE"]
            if before is not None:
                os.environ["MESHPIPE_EXECUTABLE"] = before
        where = os.path.realpath(tempfile.gettempdir())
        assert error.code == 74 and str(error) == f"a temporary file in {where}: no space left", error


def test_a_dictionary_names_files_from_the_working_folder():
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            with open("part.json", "w") as file:
                json.dump({"meshpipe": 1, "stages": [{"use": "weld"}]}, file)
            meshpipe.write(square(), "other.ply")
            pipeline = pipeline_of({"include": "part.json"}, inputs=[{"path": "other.ply"}])
            assert meshpipe.check(pipeline) == []
            report = meshpipe.run(pipeline, square())
            assert report["outputs"][0]["counts"]["faces"] == 4
            assert [stage["use"] for stage in report["stages"] if stage["use"] == "weld"] == ["weld"]
            assert pipeline["stages"] == [{"include": "part.json"}] and pipeline["inputs"] == [{"path": "other.ply"}]
            with open("gates.json", "w") as file:
                json.dump({"maximumStep": [1, 3, 0.05]}, file)
            gates = pipeline_of({"use": "check-capture", "with": {"preset": "gates.json"}, "when": "frames"})
            assert not [line for line in meshpipe.check(gates) if "error" in line], meshpipe.check(gates)
            line, = meshpipe.check(pipeline_of({"include": "gone.json"}))
            assert os.path.join(os.path.realpath(folder), "gone.json") in line, line
            # What would vanish with the temporary folder is an error.
            lost = pipeline_of({"use": "weld"}, outputs=[{"path": "${dir}/a.glb"}])
            error = raised(meshpipe.run, lost, square())
            assert error.code == 78 and "${dir}" in str(error)
            # What JSON can't hold is a mistake of the pipeline.
            number = pipeline_of({"use": "decimate", "with": {"faces": float("nan")}})
            line, = meshpipe.check(number)
            assert line.startswith("pipeline (dict): error: it can't be written as JSON"), line
            assert raised(meshpipe.run, number, square()).code == 78
        finally:
            os.chdir(before)


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
    print("ok")
