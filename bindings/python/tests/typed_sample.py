"""A script and a plugin as users write them, for type checkers: 'mypy --strict' finds nothing in it.

A comment 'type: ignore' marks what has to be found: it is reported if there is nothing to ignore.
"""

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Optional

import numpy as np
from numpy.typing import NDArray

import meshpipe
from meshpipe import Scene
from meshpipe.command import MeshpipeError
from meshpipe.plugin import Fault
from meshpipe.wire import WireError

if TYPE_CHECKING:
    from typing_extensions import assert_type
else:

    def assert_type(value: Any, kind: Any) -> Any:
        return value


def script(folder: Path) -> None:
    """Runs, reads, writes and looks."""
    scene = meshpipe.read(folder / "scan.obj", options=("--input-unit", "mm"))
    assert_type(scene, Scene)
    for mesh in scene.meshes:
        mesh.positions = mesh.positions * 2
        mesh.positions[:, 1] += scene.length(0.1)
        mesh.colors = np.full((len(mesh.positions), 4), 255, np.uint8)
        mesh.vertex_attributes["height"] = mesh.positions[:, 1]
        if mesh.classes is not None:
            mesh.keep_faces(mesh.classes.named("floor"))
        mesh.keep_faces([0, 1])
        mesh.drop_unused_vertices()
        mesh.indices = mesh.faces  # type: ignore[attr-defined]
        mesh.colors.shape  # 'colors' was assigned just above
        mesh.normals.shape  # type: ignore[union-attr]
    meshpipe.write(scene, folder / "doubled.ply")

    events: List[Dict[str, Any]] = []
    report = meshpipe.run(
        "blender", "scan.obj", {"faces": "10%"}, output=folder, settings={"decimate.faces": 5000},
        frames=folder, on_progress=events.append, cancel=threading.Event())
    assert_type(report, Dict[str, Any])
    meshpipe.run(["weld", "decimate faces=20%"], scene, output=["light.glb", folder / "light.ply"])
    pipeline = {"meshpipe": 1, "stages": [{"use": "weld"}], "outputs": [{"path": "${stem}.glb"}]}
    meshpipe.run(pipeline, scene, on_progress=lambda event: print(event["event"]))
    meshpipe.run(7, scene)  # type: ignore[arg-type]

    assert_type(meshpipe.info(scene)["faces"], Any)
    assert_type(meshpipe.check(pipeline, scene, variables={"faces": 12}), List[str])
    assert_type(meshpipe.preview(scene, size=(64, 48), view="top"), bytes)
    meshpipe.preview(scene, "scan.png")
    assert_type(meshpipe.version(), str)
    meshpipe.reed("scan.obj")  # type: ignore[attr-defined]


def failing(path: str) -> int:
    """Catches the whole family, and each of its kinds by the names of earlier versions."""
    try:
        meshpipe.read(path)
    except (meshpipe.WireError, WireError, meshpipe.Fault, Fault) as error:
        return error.code
    except (meshpipe.MeshpipeError, MeshpipeError) as error:
        assert_type(error.report, Optional[Dict[str, Any]])
        return error.code
    return 0


@meshpipe.stage
def lift(scene: Scene, distance: float = 0.01, faces: meshpipe.Amount = meshpipe.Amount(count=3)) -> None:
    """Changes the scene in place."""
    for number, mesh in enumerate(scene.meshes):
        mesh.positions[:, 1] += scene.length(distance)
        meshpipe.note("faces", faces.of(len(mesh.faces)))
        meshpipe.progress((number + 1) / len(scene.meshes))
    meshpipe.log("lifted")
    if not scene.meshes:
        raise meshpipe.Fault("there is nothing to lift", 65)


@meshpipe.stage(name="lift-copy")
def lift_copy(scene: Scene, step: meshpipe.RelativeLength = meshpipe.RelativeLength(0.1)) -> Scene:
    """Returns another scene."""
    moved: List[meshpipe.Mesh] = []
    for mesh in scene.meshes:
        positions: NDArray[np.float64] = np.asarray(mesh.positions, np.float64) + step.of(scene)
        moved.append(meshpipe.Mesh(positions, mesh.faces, name=mesh.name))
    meshpipe.warn(f"seed {meshpipe.task()['seed']}")
    return Scene(moved, frames=scene.frames, coordinate_system=meshpipe.CoordinateSystem(up="z"))


@meshpipe.stage  # type: ignore[type-var]
def count(scene: Scene) -> int:
    """A stage returns a scene or nothing."""
    return len(scene.meshes)


@meshpipe.reader("dots")
def read(path: str) -> Scene:
    """Reads a format."""
    meshpipe.opened(path + ".side")
    points = np.loadtxt(path).astype(np.float32)
    return Scene(point_clouds=[meshpipe.PointCloud(points, wide_colors=np.zeros((len(points), 3), np.uint16))])


@meshpipe.writer("dots")
def write(scene: Scene, path: str) -> None:
    """Writes a format."""
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{x} {y} {z}\n" for cloud in scene.point_clouds for x, y, z in cloud.positions)


assert_type(lift(Scene(), distance=0.5), None)

if __name__ == "__main__":
    meshpipe.main()
