"""Stages for meshpipe in Python, and meshpipe from Python.

A plugin is a function from a scene to a scene::

    import meshpipe

    @meshpipe.stage
    def smooth(scene, iterations=10):
        for mesh in scene.meshes:
            ...
            mesh.positions = positions

    if __name__ == "__main__":
        meshpipe.main()

The name of the stage is that of the function with hyphens for underscores; its parameters come as
keyword arguments, lengths in metres and angles in radians. Whatever the function prints goes to the
log. The manifest beside the file says the rest: see docs/plugins.md.

Readers and writers of formats are functions, too (``@meshpipe.reader("xyz")``, ``@meshpipe.writer("xyz")``).

Scripts use :func:`run`, :func:`read`, :func:`write`, :func:`info`, :func:`check` and :func:`preview`, which
call the command ``meshpipe``.
"""

from typing import TYPE_CHECKING, Any, List

from .errors import (
    ArgumentTypeError, Fault, MeshpipeError, MeshpipeWarning, UnknownAttributeError, WireError,
)
from .plugin import log, main, note, opened, progress, reader, stage, task, warn, writer
from .scene import (
    Amount,
    Classes,
    CoordinateSystem,
    Frame,
    Material,
    Mesh,
    PointCloud,
    ReferenceSystem,
    RelativeLength,
    Scene,
    Texture,
)
from .wire import PROTOCOL

from ._version import __version__

_OF_COMMAND = ("check", "info", "preview", "read", "run", "version", "write")

if TYPE_CHECKING:
    from .command import check, info, preview, read, run, version, write
else:

    def __getattr__(name: str) -> Any:
        # Plugins need none of these, and would wait for what they import.
        if name in _OF_COMMAND:
            from . import command

            return getattr(command, name)
        raise AttributeError(f"module 'meshpipe' has no attribute '{name}'")


def __dir__() -> List[str]:
    return __all__


__all__ = [
    "Amount", "ArgumentTypeError", "Classes", "CoordinateSystem", "Fault", "Frame", "Material", "Mesh",
    "MeshpipeError", "MeshpipeWarning", "PROTOCOL", "PointCloud", "ReferenceSystem", "RelativeLength", "Scene", "Texture",
    "UnknownAttributeError", "WireError", "check", "info", "log", "main", "note", "opened", "preview",
    "progress", "read", "reader", "run", "stage", "task", "version", "warn", "write", "writer",
]
