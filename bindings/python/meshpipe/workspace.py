"""The files between this module and the command, and what messages call them instead."""

from __future__ import annotations

import json
import os
import re
import tempfile
from types import TracebackType
from typing import Any, Dict, Optional, Type, Union

from .errors import ArgumentTypeError, MeshpipeError
from .scene import Scene
from .wire import write_message

SCENE = ".meshscene"
StrPath = Union[str, "os.PathLike[str]"]


def path_text(path: Any, expected: str = "a path") -> str:
    """The path as a text; what is none is an ArgumentTypeError."""
    try:
        return os.fsdecode(path)
    except TypeError:
        raise ArgumentTypeError(f"expected {expected}, found {_shown(path)}") from None


def _shown(value: Any) -> str:
    return "None" if value is None else f"a value of the type '{type(value).__name__}'"


class Workspace:
    """A temporary folder with what the command has to read as files.

    Its files are gone when the user reads a message, and were never the user's: a message names the dictionary or
    Scene that was given. That holds for the text and the report of a MeshpipeError that leaves the 'with', too.
    """

    def __init__(self) -> None:
        self._names: Dict[str, str] = {}

    def __enter__(self) -> Workspace:
        self._temporary = tempfile.TemporaryDirectory(prefix="meshpipe-")
        self.folder = os.path.realpath(self._temporary.name)
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        if isinstance(error, MeshpipeError):
            error.args = (self.told(str(error)),)
            error.report = self.told(error.report)
        self._temporary.cleanup()

    def path(self, name: str) -> str:
        """The path of a file of the folder."""
        return os.path.join(self.folder, name)

    def pipeline(self, pipeline: Union[StrPath, Dict[str, Any]]) -> str:
        """The path of a pipeline; a dictionary becomes a file."""
        if not isinstance(pipeline, dict):
            return path_text(pipeline, "a path, a dictionary or a list of stages")
        try:
            text = json.dumps(_anchored(pipeline), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise MeshpipeError(f"pipeline (dict): error: it can't be written as JSON: {error}", 78) from error
        path = self._named("pipeline.json", "pipeline (dict)")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def input(self, input: Union[StrPath, Scene]) -> str:
        """The path of a scan; a Scene becomes a file."""
        if not isinstance(input, Scene):
            return path_text(input, "a Scene or a path")
        # Variables of a pipeline take the name of the scene from that of the file.
        stem = re.sub(r"[/\x00-\x1f\x7f]", "_", input.name)
        stem = stem.encode("utf-8", "replace")[:200].decode("utf-8", "ignore")
        path = self._named((stem or "scene") + SCENE, f"{stem or 'input'} (Scene)")
        write_scene(input, path)
        return path

    def told(self, value: Any) -> Any:
        """A text, or all texts in a report or an event, with the names that the user knows."""
        if isinstance(value, str):
            # Lines, columns and bytes are those of a file that the user never saw.
            for path, name in self._names.items():
                value = _replaced(re.escape(path) + r"(:\d+)*(: byte \d+)?", name, value)
            where = f"a temporary file in {os.path.dirname(self.folder)}"
            return _replaced(re.escape(self.folder) + r"[^\s'\":,;]*", where, value)
        if isinstance(value, list):
            return [self.told(element) for element in value]
        if isinstance(value, dict):
            hidden = ("line", "column") if value.get("file") in self._names else ()
            return {key: self.told(element) for key, element in value.items() if key not in hidden}
        return value

    def expect_outputs_elsewhere(self, report: Dict[str, Any]) -> None:
        """Refuses a run that wrote into the folder, from which the files would vanish."""
        for output in report.get("outputs", []):
            if str(output.get("path", "")).startswith(self.folder + os.sep):
                raise MeshpipeError(
                    "an output of the pipeline is in the folder of its input (${dir}), but a Scene is not in a "
                    "folder; name another folder in the pipeline, or give output=…", 78, report)

    def _named(self, file: str, name: str) -> str:
        path = self.path(file)
        self._names[path] = name
        return path


def _replaced(pattern: str, name: str, text: str) -> str:
    # A function, since backslashes in a name would mean something else.
    return re.sub(pattern, lambda _: name, text)


def write_scene(scene: Scene, path: str) -> None:
    """Writes a scene as a message in a file."""
    if not isinstance(scene, Scene):
        raise ArgumentTypeError(f"expected a Scene, found {_shown(scene)}")
    try:
        with open(path, "wb") as file:
            write_message(file, "scene", scene=scene)
    except OSError as error:
        raise MeshpipeError(f"{path}: can't write: {_reason(error)}", 73) from error


def reading_error(path: str, error: OSError) -> MeshpipeError:
    """What the command would say of a file that can't be read."""
    return MeshpipeError(f"{path}: can't read: {_reason(error)}", 66)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _anchored(pipeline: Dict[str, Any]) -> Dict[str, Any]:
    """The pipeline with the files that it names relative to itself, which for a dictionary is the working folder."""
    pipeline = dict(pipeline)
    for key, file in (("stages", "include"), ("inputs", "path")):
        if isinstance(pipeline.get(key), list):
            pipeline[key] = [_with_paths(entry, file) for entry in pipeline[key]]
    return pipeline


def _with_paths(entry: Any, file: str) -> Any:
    if not isinstance(entry, dict):
        return entry
    found = dict(entry)
    if file in found:
        found[file] = _path(found[file])
    # A scheme of classes, or an option such as a preset, may be a word instead of a file.
    if "classes" in found:
        found["classes"] = _path(found["classes"], ".json")
    if isinstance(found.get("with"), dict):
        found["with"] = {name: _path(value, ".json") for name, value in found["with"].items()}
    return found


def _path(value: Any, extension: str = "") -> Any:
    # What begins with a variable is the pipeline's to say.
    if isinstance(value, str) and value and not value.startswith("${") and value.endswith(extension):
        return os.path.abspath(value)
    return value
