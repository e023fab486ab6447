"""meshpipe from Python: pipelines over the command ``meshpipe``, and scenes from and to files."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sysconfig
import threading
import warnings
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple, Union, overload

from .errors import MeshpipeError as MeshpipeError
from .errors import ArgumentTypeError, MeshpipeWarning
from .errors import WireError
from .scene import Scene
from .wire import read_message
from .workspace import SCENE, StrPath, Workspace, path_text, reading_error, write_scene

#: An event or a report: the members of a JSON object.
Members = Dict[str, Any]


def executable() -> str:
    """The command: that of MESHPIPE_EXECUTABLE, else the one installed with this module, else that in PATH."""
    own = os.path.join(sysconfig.get_path("scripts"), "meshpipe")
    path = os.environ.get("MESHPIPE_EXECUTABLE") or shutil.which(own) or shutil.which("meshpipe")
    if not path:
        raise MeshpipeError("there is no 'meshpipe' in PATH; set MESHPIPE_EXECUTABLE", 69)
    return path


def version() -> str:
    """The version of the command."""
    return _call(["--version"]).stdout.decode().split("\n")[0].split()[1]


def run(
    pipeline: Union[StrPath, Dict[str, Any], Iterable[str]],
    input: Union[StrPath, Scene],
    variables: Optional[Mapping[str, Any]] = None,
    *,
    output: Union[None, StrPath, Iterable[StrPath]] = None,
    settings: Optional[Mapping[str, Any]] = None,
    frames: Optional[StrPath] = None,
    plugins: Iterable[StrPath] = (),
    options: Iterable[str] = (),
    on_progress: Optional[Callable[[Members], object]] = None,
    cancel: Optional[threading.Event] = None,
) -> Members:
    """Runs a scan through a pipeline, and returns the report of the run as a dictionary.

    pipeline   the path of a pipeline file; a dictionary with the content of one; or a list of
               stages as on the command line: ["weld", "decimate faces=20%"]; files that a dictionary
               names are relative to the working folder
    input      the path of a scan or capture, or a Scene
    variables  values of the pipeline's variables: {"faces": "10%"}
    output     a file or a folder, or several files
    settings   options of stages: {"decimate.faces": 5000}
    frames     the capture that the frames are in, or "none"
    plugins    folders with plugins
    options    further options of 'meshpipe run', as words
    on_progress  called with each event of the run, a dictionary: {"event": "progress", "name": "light",
               "overall": 0.4, …}, warnings and finished stages among them
    cancel     a threading.Event; once it is set the run ends, leaving no file, with exit code 130

    Raises MeshpipeError with the message of the command when that fails. Messages and the report call a
    dictionary "pipeline (dict)" and a Scene by its name, "room (Scene)".
    """
    with Workspace() as files:
        words = ["run"]
        # A path may be iterable, too.
        if isinstance(pipeline, (dict, str, bytes, os.PathLike)):
            words.append(files.pipeline(pipeline))
        else:
            for stage in _all(pipeline, "a path, a dictionary or a list of stages"):
                words += ["-s", path_text(stage, "a stage as a text")]
        words.append(files.input(input))
        outputs = [] if output is None else output
        if isinstance(outputs, (str, bytes, os.PathLike)):
            outputs = [outputs]
        for path in _all(outputs, "a path or a list of them"):
            words += ["-o", path_text(path)]
        words += _assignments("--var", variables) + _assignments("--set", settings)
        for path in plugins:
            words += ["--plugins", path_text(path)]
        if frames is not None:
            words += ["--frames", path_text(frames)]
        words += ["--report", files.path("report.json"), *options]
        if on_progress is None and cancel is None:
            result = _call([*words, "--quiet"], check=False)
        else:
            result = _watched([*words, "--progress", "json"], files, on_progress, cancel)
        return _reported(result, files)


def info(path: Union[StrPath, Scene], *, options: Iterable[str] = ()) -> Members:
    """What a scan, a model, a capture or a Scene holds, as a dictionary: faces, size, classes, textures, frames…

    options are further ones of 'meshpipe info', as words.
    """
    with Workspace() as files:
        found = files.told(json.loads(_call(["info", "--json", files.input(path), *options]).stdout))
    facts: Members = found[0] if isinstance(found, list) and len(found) == 1 else found
    return facts


def check(
    pipeline: Union[StrPath, Dict[str, Any]],
    input: Union[None, StrPath, Scene] = None,
    *,
    variables: Optional[Mapping[str, Any]] = None,
    options: Iterable[str] = (),
) -> List[str]:
    """The mistakes and warnings in a pipeline, each a line with file, line and column; none when all is well.

    pipeline is a path, the name of an installed pipeline, or a dictionary with the content of a file, in which the
    place of a mistake is said as in "pipeline (dict): error: unknown stage … [stages[0].use]".
    """
    with Workspace() as files:
        try:
            words = ["check", files.pipeline(pipeline)]
        except MeshpipeError as error:
            return [str(error)]
        if input is not None:
            words.append(files.input(input))
        words += _assignments("--var", variables)
        result = _call([*words, *options], check=False)
        lines: List[str] = files.told(result.stderr.decode(errors="replace")).splitlines()
    return [line for line in lines if line.strip()]


Size = Union[None, str, Tuple[int, int]]


@overload
def preview(
    scene: Union[StrPath, Scene], path: None = None, *, size: Size = None, view: Optional[str] = None,
    options: Iterable[str] = (),
) -> bytes: ...


@overload
def preview(
    scene: Union[StrPath, Scene], path: StrPath, *, size: Size = None, view: Optional[str] = None,
    options: Iterable[str] = (),
) -> None: ...


def preview(
    scene: Union[StrPath, Scene], path: Optional[StrPath] = None, *, size: Size = None,
    view: Optional[str] = None, options: Iterable[str] = (),
) -> Optional[bytes]:
    """A picture of a scan, a model or a Scene: written to a path, or returned as the bytes of a PNG.

    Notebooks show the bytes by IPython.display.Image(preview(scene)).
    """
    with Workspace() as files:
        target = path_text(path) if path is not None else files.path("preview.png")
        words = ["preview", files.input(scene), "-o", target]
        if size is not None:
            words += ["--size", size if isinstance(size, str) else "x".join(map(str, size))]
        if view is not None:
            words += ["--view", view]
        _call([*words, *options])
        if path is not None:
            return None
        with open(target, "rb") as file:
            return file.read()


def read(path: StrPath, *, options: Iterable[str] = ()) -> Scene:
    """Reads a scan or model in any format that meshpipe reads, and returns its Scene.

    options are further ones of 'meshpipe run', as words: ("--input-unit", "mm").

    What the command warns of is in the scene's warnings, and each is a MeshpipeWarning.
    """
    path = path_text(path)
    if path.endswith(SCENE):
        return _read_scene(path)
    with Workspace() as files:
        target = files.path("scene" + SCENE)
        told = _converted(["run", path, "-o", target, *options], files, to_workspace=True)
        scene = _read_scene(target)
    scene.warnings += [warning for warning in told if warning not in scene.warnings]
    return scene


def write(scene: Scene, path: StrPath, *, options: Iterable[str] = ()) -> None:
    """Writes a Scene in the format that the path's extension names.

    What the format can't hold, and all else that the command warns of, is a MeshpipeWarning.
    """
    path = path_text(path)
    if path.endswith(SCENE):
        return write_scene(scene, path)
    with Workspace() as files:
        _converted(["run", files.input(scene), "-o", path, *options], files)


def _converted(words: List[str], files: Workspace, to_workspace: bool = False) -> List[str]:
    """Runs the command for a caller of the caller, and passes its warnings on."""
    # A report of the user's own has the warnings.
    if "--report" not in words:
        words = [*words, "--report", files.path("report.json")]
    result = _call([*words, "--quiet"], check=False)
    report = _reported(result, files, to_workspace)
    parts = [report, report.get("input", {}), *report.get("outputs", [])]
    told = list(dict.fromkeys(warning for part in parts for warning in part.get("warnings", [])))
    for warning in told:
        warnings.warn(warning, MeshpipeWarning, stacklevel=3)
    return told


def _read_scene(path: str) -> Scene:
    try:
        with open(path, "rb") as file:
            message = read_message(file)
    except OSError as error:
        raise reading_error(path, error) from error
    except WireError as error:
        raise WireError(f"{path}: {error}") from error
    if message is None or message["kind"] != "scene":
        raise WireError(f"{path}: there is no scene in the file")
    scene: Scene = message["scene"]
    return scene


def _reported(
    result: subprocess.CompletedProcess[bytes], files: Workspace, to_workspace: bool = False,
) -> Members:
    """The report of a run, empty where an option such as --help kept the command from one."""
    report: Members = {}
    if os.path.exists(files.path("report.json")):
        with open(files.path("report.json"), encoding="utf-8") as file:
            report = json.load(file)
    if result.returncode:
        raise MeshpipeError(_errors(result), result.returncode, report or None)
    if not to_workspace:
        files.expect_outputs_elsewhere(report)
    told: Members = files.told(report)
    return told


def _watched(
    words: List[str], files: Workspace, on_progress: Optional[Callable[[Members], object]],
    cancel: Optional[threading.Event],
) -> subprocess.CompletedProcess[bytes]:
    """Runs the command, passes its events on, and interrupts it when told to."""
    process = subprocess.Popen(
        [executable(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, errors="replace")
    done = threading.Event()

    def watch(cancel: threading.Event) -> None:
        while not done.is_set():
            if cancel.wait(0.1):
                process.send_signal(signal.SIGINT)
                return

    watcher = None
    if cancel is not None:
        watcher = threading.Thread(target=watch, args=(cancel,), daemon=True)
        watcher.start()
    errors = []
    assert process.stderr is not None  # it is a pipe
    try:
        for line in process.stderr:
            try:
                event = json.loads(line)
            except ValueError:
                errors.append(line.rstrip())
                continue
            event = files.told(event)
            # The last one only says that there were some.
            if event.get("event") == "error" and not ("exitCode" in event and errors):
                errors.append(_line(event))
            if on_progress:
                on_progress(event)
        process.wait()
    finally:
        done.set()
        if watcher:
            watcher.join()
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait()
        process.stderr.close()
    return subprocess.CompletedProcess(
        words, process.returncode, b"", "\n".join(errors).encode())


def _line(error: Members) -> str:
    """What the command prints of an error, of its event."""
    message = str(error.get("message", ""))
    if "file" in error:
        place = ":".join(str(error[key]) for key in ("file", "line", "column") if key in error)
        message = f"{place}: error: {message}"
    return f"{message} [{error['path']}]" if error.get("path") else message


def _all(values: Any, expected: str) -> List[Any]:
    """The values of an iterable; what is none is an ArgumentTypeError."""
    if not isinstance(values, Iterable):
        raise ArgumentTypeError(f"expected {expected}, found {values!r}")
    return list(values)


def _assignments(option: str, values: Optional[Mapping[str, Any]]) -> List[str]:
    if not isinstance(values, (Mapping, type(None))):
        raise ArgumentTypeError(f"expected a dictionary for {option}, found {values!r}")
    return [word for name, value in (values or {}).items() for word in (option, f"{name}={_text(value)}")]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(_text(element) for element in value)
    return str(value)


def _call(words: List[str], check: bool = True) -> subprocess.CompletedProcess[bytes]:
    result = subprocess.run([executable(), *words], stdin=subprocess.DEVNULL, capture_output=True)
    if check and result.returncode:
        raise MeshpipeError(_errors(result), result.returncode)
    return result


def _errors(result: subprocess.CompletedProcess[bytes]) -> str:
    return result.stderr.decode(errors="replace").strip() or f"exit code {result.returncode}"
